import { isSameDefinition } from "#shared/adapters/hub/semantics/stored-object.ts";
import { someOf, withoutRepeats } from "#shared/domain/json/values.ts";
import { displayName, isOneOf, type Kind, type KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Unread } from "#shared/domain/result-coverage/coverage.ts";
import { UsageError } from "../../program/exit-codes.ts";
import type { ManifestsOrHub, PlacedSide } from "../manifest-source.ts";
import { joined, printMessage, type SafeText, safe } from "../safe-text.ts";
import { identityOf } from "./defined-once.ts";

/** The objects that a command reads of one cluster. */
export type ChosenSide = Pick<PlacedSide, "origin" | "objects" | "damaged" | "issues" | "place" | "named">;

type Named = Readonly<{ name: string }>;

const nothing: ChosenSide = {
  origin: "files",
  objects: [],
  damaged: [],
  issues: [],
  place: (issues) => issues,
};

type Decides = (object: KubernetesObject) => boolean;

/**
 * Returns the sides with objects that a command reads, the first of each name: those after it have what its definitions
 * replace. A hosted cluster's own settings count only where there is nothing else.
 */
function sidesFor(sides: readonly PlacedSide[], decides: Decides): readonly PlacedSide[] {
  const has = ({ objects, damaged }: PlacedSide) =>
    objects.some(decides) || damaged.some(({ object }) => decides(object));
  const found = sides.filter(has);
  const ofClusters = found.filter(({ origin }) => origin !== "guest");
  const chosen = ofClusters.length > 0 ? ofClusters : found;
  return chosen.filter((one, index) => chosen.findIndex(({ name }) => name === one.name) === index);
}

/** Returns the side of the files around what they hold for a cluster; that of the cluster itself if it has its name. */
function filesAround(sides: readonly PlacedSide[], name: string): PlacedSide | undefined {
  const own = sides.filter(({ origin }) => origin === "files");
  const around = own.filter((side) => side.name !== "" && `${name}/`.startsWith(`${side.name}/`));
  return around.toSorted((a, b) => b.name.length - a.name.length)[0] ?? own[0];
}

/** Returns the side of this name; without one, what its files have besides. */
function sideNamed(sides: readonly PlacedSide[], decides: Decides, name: string): ChosenSide {
  const around = filesAround(sides, name);
  const side = sides.find((one) => one.name === name) ?? around;
  if (!side || side.origin === "files" || !around) return side ?? nothing;
  // What is decisive around it is another cluster's.
  const others = around.objects.filter((object) => !decides(object));
  return {
    origin: side.origin,
    ...(side.named ? { named: side.named } : {}),
    objects: [...others, ...side.objects],
    damaged: [],
    issues: [...around.issues, ...side.issues],
    place: (issues) => around.place(side.place(issues)),
  };
}

/** Reports whether two sides are not apart: no settings name them, and they define the same of what a command reads. */
function isSameFor(decides: Decides, a: ChosenSide, b: ChosenSide): boolean {
  if (a.named ?? b.named) return false;
  const decisive = ({ objects, damaged }: ChosenSide) =>
    [...objects, ...damaged.map(({ object }) => object)].filter(decides);
  const own = new Map(decisive(a).map((object) => [identityOf({ object }), object]));
  const others = decisive(b);
  return (
    own.size === others.length &&
    others.every((object) => {
      const one = own.get(identityOf({ object }));
      return one !== undefined && isSameDefinition(one, object);
    })
  );
}

/** Returns the name of a side for people. */
export const sideName = (name: string): string => name || "the objects outside of these";

/** Returns the clusters of trees that have the same sides in the same order; at least one. */
function clustersOf(
  trees: readonly (readonly PlacedSide[])[],
  kinds: readonly Kind[],
): readonly Readonly<{ name: string; sides: readonly ChosenSide[] }>[] {
  const decides: Decides = isOneOf(kinds);
  const names = new Set(trees.flatMap((sides) => sidesFor(sides, decides).map(({ name }) => name)));
  const clusters: { names: string[]; sides: readonly ChosenSide[] }[] = [];
  for (const name of names.size > 0 ? names : [""]) {
    const sides = trees.map((tree) => sideNamed(tree, decides, name));
    const same = clusters.find((known) =>
      known.sides.every((side, tree) => isSameFor(decides, side, sides[tree] ?? nothing)),
    );
    if (same) same.names.push(name);
    else clusters.push({ names: [name], sides });
  }
  const isOne = clusters.length === 1;
  return clusters.map(({ names: own, sides }) => ({
    name: isOne ? "" : own.map(sideName).join(", "),
    sides,
  }));
}

/** The objects of one cluster; the name is empty where there is one. */
export type NamedSide = ChosenSide & Readonly<{ name: string }>;

type GivenSides = Pick<ManifestsOrHub, "sides" | "ofFiles">;

/** Returns the side of each cluster that defines an object of these kinds differently, with the issues of all files; at least one. */
export function clusterSides({ sides, ofFiles }: GivenSides, kinds: readonly Kind[]): readonly NamedSide[] {
  return clustersOf([sides()], kinds).map(({ name, sides: [side = nothing] }) => ({
    ...side,
    name,
    issues: withoutRepeats([...ofFiles, ...side.issues]),
  }));
}

/** A cluster whose objects in two places are compared. */
export type ComparedSides = Readonly<{ name: string; before: ChosenSide; after: ChosenSide }>;

/** Returns both sides of each cluster; these have the same sides in the same order. */
export function comparedSides(
  before: readonly PlacedSide[],
  after: readonly PlacedSide[],
  kinds: readonly Kind[],
): readonly ComparedSides[] {
  return clustersOf([before, after], kinds).map(({ name, sides }) => {
    const [old = nothing, now = nothing] = sides;
    return { name, before: old, after: now };
  });
}

/** Returns what other clusters define of the objects that a command reads. */
function ofOtherClusters(
  { objects }: ChosenSide,
  sides: readonly PlacedSide[],
  decides: Decides,
): readonly Unread[] {
  const own = Map.groupBy(objects, (object) => identityOf({ object }));
  const isSame = (a: PlacedSide, b: PlacedSide) => a.origin === b.origin && a.name === b.name;
  return sides
    .filter((side, index) => sides.findIndex((one) => isSame(one, side)) === index)
    .flatMap((side) => side.objects.filter(decides))
    .filter((object) => !own.get(identityOf({ object }))?.some((one) => isSameDefinition(one, object)))
    .map(({ kind, metadata }) => ({ what: displayName({ ...metadata, kind }), why: "cluster", count: 1 }));
}

/**
 * Returns the side of a command about one cluster: that of the files, else what these hold. Throws `UsageError` for several
 * clusters.
 */
export function chosenSide(
  given: GivenSides & Pick<ManifestsOrHub, "unread" | "enforced">,
  kinds: readonly Kind[],
): NamedSide & Pick<ManifestsOrHub, "unread" | "enforced"> {
  const clusters = clusterSides(given, kinds);
  const own = clusters.filter(({ origin }) => origin === "files");
  const [side, ...others] = own.length > 0 ? own : clusters;
  if (side && others.length === 0)
    return {
      ...side,
      unread: [...given.unread, ...ofOtherClusters(side, given.sides(), isOneOf(kinds))],
      enforced: side.origin === "files" ? [] : given.enforced,
    };
  const names = (own.length > 0 ? own : clusters).map(({ name }) => name).join(", ");
  throw new UsageError(`the manifests are of several clusters: ${names}. Name the files of one.`);
}

/** Returns the objects of a side without those that hold others, if what these hold is read instead. */
export function withoutHolders(
  { origin, objects }: ChosenSide,
  { embedded }: Pick<ManifestsOrHub, "embedded">,
): readonly KubernetesObject[] {
  if (origin === "files") return objects;
  const holders = new Set(embedded.map(({ within }) => within && displayName(within)));
  return objects.filter(({ kind, metadata }) => !holders.has(displayName({ ...metadata, kind })));
}

/** Reports on standard error that there are several clusters; not beside issues that programs read. */
export function reportClusters(clusters: readonly Named[], format: "text" | "json"): void {
  if (clusters.length < 2 || format === "json") return;
  const names = someOf(
    clusters.map(({ name }) => name),
    10,
  );
  printMessage(safe`${clusters.length} clusters by folder or policy, a result for each: ${names}`);
}

/** What a list has for an item of one of several clusters. */
export type OfSide = Readonly<{ side?: string }>;

/** Returns items of a cluster with its name, if that is one of several. */
export function ofSide<Item extends object>(
  { name }: Named,
  items: readonly Item[],
): readonly (Item & OfSide)[] {
  return name === "" ? items : items.map((item) => ({ ...item, side: name }));
}

/** Renders the items of each cluster below its name, as `ls` does with folders; those of a single one as they are. */
export function listedBySide<Item extends OfSide>(
  items: readonly Item[],
  list: (own: readonly Item[]) => SafeText,
): SafeText {
  const bySide = [...Map.groupBy(items, ({ side = "" }) => side)];
  if (bySide.length < 2 && !bySide[0]?.[0]) return list(items);
  return joined(
    bySide.map(([name, own]) => safe`${name}:\n${list(own)}`),
    safe`\n`,
  );
}
