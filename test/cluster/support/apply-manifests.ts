import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import { displayName, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { tryParseManifestObject } from "#shared/domain/manifests/manifest-object.ts";

const rootOf = (apiVersion: string) => `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}`;

function objectIn(answer: unknown, what: string): KubernetesObject {
  const object = tryParseManifestObject(answer);
  if (!object) throw new Error(`${what}: the answer is no object`);
  return object;
}

/** The path that an API server takes new objects of this kind at, from its own discovery. */
async function collectionOf(
  api: Connection,
  { apiVersion, kind, metadata }: KubernetesObject,
): Promise<string> {
  const what = `discover ${apiVersion}`;
  const answer = await api.send({ what, method: "GET", path: rootOf(apiVersion) });
  const resources =
    isRecord(answer) && Array.isArray(answer.resources) ? answer.resources.filter(isRecord) : [];
  const found = resources.find(({ kind: known, name }) => known === kind && !String(name).includes("/"));
  if (!found) throw new Error(`the API server does not know ${kind} of ${apiVersion}`);
  const within = found.namespaced ? `/namespaces/${metadata.namespace ?? "default"}` : "";
  return `${rootOf(apiVersion)}${within}/${String(found.name)}`;
}

/**
 * Creates the object and answers what is stored; a field that its API does not know is refused, as
 * `kubectl apply --validate=strict` would. With `dryRun` everything is checked, by admission too, and nothing stored.
 */
export async function createManifest(
  api: Connection,
  object: KubernetesObject,
  { dryRun = false }: Readonly<{ dryRun?: boolean }> = {},
): Promise<KubernetesObject> {
  const what = `create ${displayName(referenceTo(object))}`;
  const answer = await api.send({
    what,
    method: "POST",
    path: await collectionOf(api, object),
    query: { fieldValidation: "Strict", ...(dryRun ? { dryRun: "All" } : {}) },
    body: object,
  });
  return objectIn(answer, what);
}

/** Replaces the status of an object that was read before, whatever its kind; a field that is not known is refused. */
export async function replaceStatus(api: Connection, object: KubernetesObject): Promise<KubernetesObject> {
  const what = `update the status of ${displayName(referenceTo(object))}`;
  const answer = await api.send({
    what,
    method: "PUT",
    path: `${await collectionOf(api, object)}/${object.metadata.name}/status`,
    query: { fieldValidation: "Strict" },
    body: object,
  });
  return objectIn(answer, what);
}

/** Deletes an object, whatever its kind; what its finalizers and dependents ask for comes after. */
export async function deleteManifest(api: Connection, object: KubernetesObject): Promise<void> {
  const path = `${await collectionOf(api, object)}/${object.metadata.name}`;
  await api.send({ what: `delete ${displayName(referenceTo(object))}`, method: "DELETE", path });
}
