import { cp, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments, parseDocument } from "yaml";
import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { tryParseManifestObject } from "#shared/domain/manifests/manifest-object.ts";
import { paths } from "../../../../infra/paths.ts";
import { succeeded } from "../../../../infra/run-program.ts";
import type { Log } from "../programs/cache.ts";
import { goProgram } from "../programs/go-program.ts";
import { createManifest } from "./apply-manifests.ts";

const module = "sigs.k8s.io/kustomize/kustomize/v5";

/** Returns the path of kustomize, built from its Go module when it is not cached. */
export const kustomize = (log: Log): Promise<string> =>
  goProgram({ name: "kustomize", program: module, module }, log);

/**
 * Returns what `kustomize build` renders from a folder of the repository, without reading anything outside of it.
 * `root` is the checkout, if not this one.
 */
export async function renderKustomization(
  folder: string,
  root: string = paths.root,
): Promise<readonly KubernetesObject[]> {
  const built = await kustomize((line) => console.log(line));
  const { stdout } = await succeeded(built, ["build", folder], { cwd: root });
  return parseAllDocuments(stdout).map((document) => {
    const object = tryParseManifestObject(document.toJS());
    if (!object) throw new Error(`${folder} renders what is no Kubernetes object:\n${document.toString()}`);
    return object;
  });
}

/** Returns the folders of an overlay in the order in which they are applied: its own, then those that need an add-on. */
export function foldersOf(overlay: string): readonly string[] {
  const folder = `infra/kubernetes/overlays/${overlay}`;
  const isScaled = overlay !== "forwarder" && overlay !== "one-deployment";
  const addOns = isScaled ? ["keda", "prometheus"] : ["prometheus"];
  return [folder, ...addOns.map((addOn) => `${folder}/${addOn}`)];
}

/** Returns what an overlay installs on a hub with KEDA and Prometheus' operator. */
export async function renderOverlay(overlay: string): Promise<readonly KubernetesObject[]> {
  const rendered: KubernetesObject[] = [];
  for (const folder of foldersOf(overlay)) rendered.push(...(await renderKustomization(folder)));
  return rendered;
}

/**
 * Copies `infra`, adds components to one of its overlays as its user would, and calls `use` with the folder of the overlay.
 */
export async function overlayWith<Result>(
  overlay: string,
  components: readonly string[],
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  await using copy = await mkdtempDisposable(join(tmpdir(), "hubrelay-overlay-"));
  for (const part of ["kubernetes", "hub-rbac", "crds"])
    await cp(join(paths.root, "infra", part), join(copy.path, part), { recursive: true });
  const folder = join(copy.path, "kubernetes/overlays", overlay);
  const file = join(folder, "kustomization.yaml");
  const kustomization = parseDocument(await readFile(file, "utf8"));
  for (const name of components) kustomization.addIn(["components"], `../../components/${name}`);
  await writeFile(file, String(kustomization));
  return await use(folder);
}

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
