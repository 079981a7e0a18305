import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";

/** Fields of a hub with counters or times: they differ in two runs with one result. */
const incidental: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "observedGeneration",
  "creationTimestamp",
  "managedFields",
  "firstTimestamp",
  "lastTimestamp",
  "lastTransitionTime",
  "count",
  "hubrelay.dev/correlation-id",
  "hubrelay.dev/observed",
  "hubrelay.dev/outcomes",
]);

/** Returns a value without what differs in two runs with one result. */
export function essential(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essential);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !incidental.has(name))
      .map(([name, inner]) => [name, essential(inner)]),
  );
}

/** Returns the objects of these kinds. */
export async function objectsOn(hub: Hub, of: readonly Kind[]): Promise<readonly KubernetesObject[]> {
  return (await Promise.all(of.map((kind) => hub.list(kind)))).flat();
}

/** All kinds but Events, which a later reconcile deletes, and Leases, which the server writes as well. */
export const lastingKinds = Object.values(kinds).filter(
  (kind) => kind !== kinds.Event && kind !== kinds.Lease,
);

const watchedKinds = mirrorConfig.watches.map(({ kind }) => kind);

/** An API server that is killed and comes back reports about itself as well. */
const isTheFunctions = ({ metadata }: KubernetesObject) => metadata.labels?.["hubrelay.dev/function"];

/** Everything that the hub holds for the function and from it, without what differs from run to run. */
export async function contentOf(hub: Hub): Promise<unknown> {
  const objects = await objectsOn(hub, watchedKinds);
  const events = (await hub.list(kinds.Event)).filter(isTheFunctions);
  return essential([...objects, ...events]);
}

/** The objects that people wrote: a clean run starts with them. */
export async function sourcesOf(hub: Hub): Promise<readonly KubernetesObject[]> {
  const written = watchedKinds.filter((kind) => kind !== kinds.MachineConfig);
  const objects = await objectsOn(hub, written);
  return objects.map(({ status, metadata: { name, labels }, ...object }) => ({
    ...object,
    metadata: { name, ...(labels ? { labels } : {}) },
    // The release is the only status that people, and no function of hubrelay, write.
    ...(object.kind === "ClusterVersion" ? { status } : {}),
  }));
}
