import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
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

/** An API server that is killed and comes back reports about itself as well. */
const isTheFunctions = ({ metadata }: KubernetesObject) => metadata.labels?.["hubrelay.dev/function"];

/** Everything that the hub holds for the function and from it, without what differs from run to run. */
export async function contentOf(hub: Hub): Promise<unknown> {
  const lists = await Promise.all(mirrorConfig.watches.map(({ kind }) => hub.list(kind)));
  const events = (await hub.list(kinds.Event)).filter(isTheFunctions);
  return essential([...lists.flat(), ...events]);
}

/** The objects that people wrote: a clean run starts with them. */
export async function sourcesOf(hub: Hub): Promise<readonly KubernetesObject[]> {
  const written = mirrorConfig.watches.filter(({ kind }) => kind !== kinds.MachineConfig);
  const objects = (await Promise.all(written.map(({ kind }) => hub.list(kind)))).flat();
  return objects.map(({ status, metadata: { name, labels }, ...object }) => ({
    ...object,
    metadata: { name, ...(labels ? { labels } : {}) },
    // The release is the only status that people, and no function of hubrelay, write.
    ...(object.kind === "ClusterVersion" ? { status } : {}),
  }));
}
