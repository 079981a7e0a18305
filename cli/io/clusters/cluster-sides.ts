import type { Unread } from "#shared/domain/issues/coverage.ts";
import { explanation } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import {
  displayName,
  isKind,
  isOneOf,
  type Kind,
  kinds,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import { UsageError } from "../../program/exit-codes.ts";
import type { ManifestsOrHub, PlacedSide } from "../manifest-source.ts";

/** Returns the clusters with objects of kinds in `read`. Leaves out hosted clusters if there are other clusters. */
export function sidesFor(sides: readonly PlacedSide[], read: readonly Kind[]): readonly PlacedSide[] {
  const isRead = isOneOf(read);
  const found = sides.filter(({ origin, located, damaged }) =>
    // A ClusterVersion inside a Policy does not count: it rolls out a release, but configures no node.
    [...located, ...damaged].some(
      ({ object }) => isRead(object) && (origin !== "holders" || !isKind(kinds.ClusterVersion, object)),
    ),
  );
  const ofClusters = found.filter(({ origin }) => origin !== "guest");
  const chosen = ofClusters.length > 0 ? ofClusters : found;
  const ofFiles = new Set(chosen.filter(({ origin }) => origin === "files").map(({ name }) => name));
  return chosen.map((side) =>
    side.origin === "holders" && ofFiles.has(side.name) ? { ...side, name: `${side.name} (policies)` } : side,
  );
}

/** Returns a cluster's name for reports; for an empty name, a phrase for objects outside of named clusters. */
export const sideName = (name: string): string => name || "the objects outside of these";

type GivenSides = Pick<ManifestsOrHub, "sides" | "issues">;

/**
 * Returns the clusters with objects of the `asked` kinds, else of `kinds`, else the first cluster of files. Throws
 * `UsageError` if the files may be of several clusters that the settings do not name.
 */
export function clusterSides(
  given: GivenSides,
  kinds: readonly Kind[],
  asked: readonly Kind[] = [],
): readonly PlacedSide[] {
  const all = given.sides(kinds);
  const having = sidesFor(all, asked);
  const found = having.length > 0 ? having : sidesFor(all, kinds);
  for (const { named, several } of found) if (several && !named) throw new UsageError(explanation(several));
  const some = found.length > 0 ? found : all.filter(({ origin }) => origin === "files").slice(0, 1);
  return some.map((side) => ({
    ...side,
    name: some.length > 1 ? sideName(side.name) : "",
    issues: withoutRepeats([...given.issues, ...side.issues]),
  }));
}

/**
 * Returns the only cluster of objects in files or, if there is none, of objects inside other objects. Throws
 * `UsageError` if there are several.
 */
export function chosenSide(
  given: GivenSides & Pick<ManifestsOrHub, "unread" | "enforced">,
  kinds: readonly Kind[],
): PlacedSide & Pick<ManifestsOrHub, "unread" | "enforced"> {
  const clusters = clusterSides(given, kinds);
  const own = clusters.filter(({ origin }) => origin === "files");
  const chosen = own.length > 0 ? own : clusters;
  const [side, ...others] = chosen;
  if (!side || others.length > 0)
    throw new UsageError(
      `the manifests are of several clusters: ${chosen.map(({ name }) => name).join(", ")}. Name the files of one.`,
    );
  const unread = clusters
    .filter((one) => one !== side)
    .flatMap(({ objects }) => objects.filter(isOneOf(kinds)))
    .map((object): Unread => ({ what: displayName(referenceTo(object)), why: "cluster", count: 1 }));
  const enforced = side.origin === "files" ? [] : given.enforced;
  return { ...side, unread: [...given.unread, ...unread], enforced };
}
