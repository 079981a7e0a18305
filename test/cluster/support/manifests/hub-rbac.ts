import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { createManifest } from "./apply-manifests.ts";
import { renderKustomization } from "./kustomize.ts";

/** The ConfigMap that the admission policy on ManifestWorks reads, with settings of a deployment. */
export const precachingSettings = (data: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "hubrelay", name: "hubrelay-settings" },
  data: { HUBRELAY_PRECACHE_PROFILE: "standard", ...data },
});

/**
 * Applies `infra/hub-rbac`, with these settings of pre-caching: before the policy that reads them, so that no request comes
 * between.
 */
export async function applyHubRbac(
  api: Connection,
  settings?: ReturnType<typeof precachingSettings>,
): Promise<void> {
  const objects = await renderKustomization("infra/hub-rbac");
  const isNamespace = ({ kind }: Readonly<{ kind: string }>) => kind === "Namespace";
  for (const object of objects.filter(isNamespace)) await createManifest(api, object);
  if (settings) await createManifest(api, settings);
  for (const object of objects.filter((one) => !isNamespace(one))) await createManifest(api, object);
}
