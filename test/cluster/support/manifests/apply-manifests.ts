import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { displayName, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { tryParseManifestObject } from "#shared/domain/manifests/manifest-object.ts";

const rootOf = (apiVersion: string) => `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}`;

function objectIn(response: unknown, what: string): KubernetesObject {
  const object = tryParseManifestObject(response);
  if (!object) throw new Error(`${what}: the response is not an object`);
  return object;
}

/** The path at which an API server creates objects of this kind, from its own discovery. */
async function collectionOf(
  api: Connection,
  { apiVersion, kind, metadata }: KubernetesObject,
): Promise<string> {
  const what = `discover ${apiVersion}`;
  const response = await api.send({ what, method: "GET", path: rootOf(apiVersion) });
  const resources =
    isRecord(response) && Array.isArray(response.resources) ? response.resources.filter(isRecord) : [];
  const found = resources.find(({ kind: known, name }) => known === kind && !String(name).includes("/"));
  if (!found) throw new Error(`the API server does not know ${kind} of ${apiVersion}`);
  const within = found.namespaced ? `/namespaces/${metadata.namespace ?? "default"}` : "";
  return `${rootOf(apiVersion)}${within}/${String(found.name)}`;
}

/**
 * Creates the object and returns what is stored. The API server refuses unknown fields, as with `kubectl apply
 * --validate=strict`. With `dryRun` everything is checked, including admission, and nothing is stored.
 */
export async function createManifest(
  api: Connection,
  object: KubernetesObject,
  { dryRun = false }: Readonly<{ dryRun?: boolean }> = {},
): Promise<KubernetesObject> {
  const what = `create ${displayName(referenceTo(object))}`;
  const response = await api.send({
    what,
    method: "POST",
    path: await collectionOf(api, object),
    query: { fieldValidation: "Strict", ...(dryRun ? { dryRun: "All" } : {}) },
    body: object,
  });
  return objectIn(response, what);
}

export async function createNamespace(api: Connection, name: string): Promise<void> {
  await createManifest(api, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

/** Replaces the status of an object of any kind that was read before; unknown fields are refused. */
export async function replaceStatus(api: Connection, object: KubernetesObject): Promise<KubernetesObject> {
  const what = `update the status of ${displayName(referenceTo(object))}`;
  const response = await api.send({
    what,
    method: "PUT",
    path: `${await collectionOf(api, object)}/${object.metadata.name}/status`,
    query: { fieldValidation: "Strict" },
    body: object,
  });
  return objectIn(response, what);
}
