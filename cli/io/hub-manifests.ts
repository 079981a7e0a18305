import { poolConfigField, poolConfigsIn } from "#shared/domain/hosted-clusters/nodes/pool-config.ts";
import { type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import { displayName, type KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { HubObjects } from "./hub-objects.ts";

/** A function that adds file, line and column to issues of objects from files. */
export type PlaceIssues = (issues: readonly Issue[]) => readonly Issue[];

/** Returns the issues unchanged: objects on a hub have no place in a file. */
export const withoutPlaces: PlaceIssues = (issues) => issues;

const placedIn =
  (configMap: KubernetesObject, place: PlaceIssues): PlaceIssues =>
  (issues) =>
    place(
      issues.map((issue) => ({
        ...issue,
        object: issueObject(configMap),
        path: poolConfigField,
        message: `${displayName(issue.object)} ${issue.path}: ${issue.message}`,
      })),
    );

/**
 * Returns the objects of a hub in the form of `ManifestsOrHub`. `place` adds files and lines to issues if the hub is a
 * folder. The objects in a ConfigMap of NodePools are a separate side, since they are for a hosted cluster.
 */
export function manifestsOfHub({ objects, unread }: HubObjects, place: PlaceIssues) {
  const of = { issues: [], damaged: [], alone: [] };
  const located = objects.map((object) => ({ object }));
  const side = { ...of, name: "", objects, located, origin: "files", place } as const;
  const guests = poolConfigsIn(objects).map(({ configMap, objects: own }) => {
    const within = issueObject(configMap);
    const held = own.map((object) => ({ object, within }));
    const name = displayName(within);
    return {
      ...of,
      name,
      objects: own,
      located: held,
      origin: "guest",
      place: placedIn(configMap, place),
    } as const;
  });
  return {
    issues: [],
    damaged: [],
    embedded: guests.flatMap((guest) => guest.located),
    enforced: [],
    ignored: 0,
    texts: [],
    files: undefined,
    objects,
    located,
    place,
    unread,
    nameOf: (file: string) => file,
    filesOf: () => [],
    sides: () => [side, ...guests],
  };
}
