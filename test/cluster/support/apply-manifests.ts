import type { Connection } from "#shared/adapters/kubernetes-hub/connection.ts";
import { isFields } from "#shared/domain/kubernetes/manifest-object.ts";
import { displayName, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";

const rootOf = (apiVersion: string) => `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}`;

/** The path that an API server takes new objects of this kind at, from its own discovery. */
async function collectionOf(
  api: Connection,
  { apiVersion, kind, metadata }: KubernetesObject,
): Promise<string> {
  const what = `discover ${apiVersion}`;
  const answer = await api.send({ what, method: "GET", path: rootOf(apiVersion) });
  const resources =
    isFields(answer) && Array.isArray(answer.resources) ? answer.resources.filter(isFields) : [];
  const found = resources.find(({ kind: known, name }) => known === kind && !String(name).includes("/"));
  if (!found) throw new Error(`the API server does not know ${kind} of ${apiVersion}`);
  const within = found.namespaced ? `/namespaces/${metadata.namespace ?? "default"}` : "";
  return `${rootOf(apiVersion)}${within}/${String(found.name)}`;
}

/**
 * Creates the object; a field that its API does not know is refused, as `kubectl apply --validate=strict` would.
 * With `dryRun` everything is checked, by admission too, and nothing is stored.
 */
export async function createManifest(
  api: Connection,
  object: KubernetesObject,
  { dryRun = false }: Readonly<{ dryRun?: boolean }> = {},
): Promise<void> {
  await api.send({
    what: `create ${displayName(referenceTo(object))}`,
    method: "POST",
    path: await collectionOf(api, object),
    query: { fieldValidation: "Strict", ...(dryRun ? { dryRun: "All" } : {}) },
    body: object,
  });
}
