import { isNested, ScopeIndex } from "../../images/scope.ts";
import { sentence } from "../../text/redact.ts";
import type { ListedScope } from "../input/read-image.ts";
import { type MirrorRule, neverContactSource, rulePath } from "../input/rules.ts";
import { allGroups } from "../merge/entries.ts";
import { type Cut, chainsOf, type MergedMirrors, placeInOrder } from "../merge/merge.ts";
import type { EntryBasis } from "../node-config/build.ts";
import { type RegistryEntry, type RegistryMirror, scopeOf } from "../registries-conf/registries-conf.ts";

/** A field of an object, by its path from the object's root. */
export type Origin = Readonly<{ kind: string; name: string; path: string }>;

/** A preference of one or more rules: `mirror` is tried before the explained one. */
export type Precedence = Readonly<{ mirror: string; because: readonly Origin[] }>;

/** The rule that decided the position of a mirror. */
type PlaceRule = Readonly<{
  code: /** No rule puts anything before it. */
    | "first"
    /** All mirrors that rules put before it were placed. */
    | "freed"
    /** It is in a cycle, which was cut here. */
    | "cut"
    /** It was in the base file. */
    | "base";
  text: string;
}>;

/** Why a mirror has its position in a source's list. */
export type OrderExplanation = Readonly<{
  location: string;
  /** Every rule that lists it. Empty for the source when no rule lists it. */
  listedBy: readonly Origin[];
  /** The mirrors that rules put directly before it and that are before it. */
  after: readonly Precedence[];
  /** The mirrors that rules put directly before it and that are not: a cycle was cut. */
  despite: readonly Precedence[];
  place: PlaceRule;
}>;

/** Returns the field of a rule, or a field below it. */
function ruleOrigin({ origin }: MirrorRule, field = ""): Origin {
  const { kind, metadata } = origin.object;
  return { kind, name: metadata.name, path: `${rulePath(origin)}${field}` };
}

/** Maps each name to the names that rules put directly before it, and these rules. */
function precedences(
  rules: readonly MirrorRule[],
): ReadonlyMap<string, ReadonlyMap<string, readonly Origin[]>> {
  const before = new Map<string, Map<string, Origin[]>>();
  const chains = chainsOf(rules);
  for (const [index, rule] of rules.entries()) {
    const chain = chains[index] ?? [];
    for (const [at, name] of chain.entries()) {
      const previous = chain[at - 1];
      if (previous === undefined) continue;
      const known = before.get(name) ?? new Map<string, Origin[]>();
      before.set(name, known);
      known.set(previous, [...(known.get(previous) ?? []), ruleOrigin(rule)]);
    }
  }
  return before;
}

function mentions(rules: readonly MirrorRule[], location: string): readonly Origin[] {
  return rules.flatMap((rule) =>
    rule.mirrors.flatMap((mirror, index) =>
      mirror === location ? [ruleOrigin(rule, `.mirrors[${index}]`)] : [],
    ),
  );
}

function alike(names: readonly string[]): string {
  if (names.length === 0) return "";
  const are = names.length === 1 ? "is" : "are";
  return sentence` So ${are} ${names.join(", ")}; mirrors that become ready together are sorted by name.`;
}

/**
 * Explains the order of the merged rules of one source, the source itself included: for each position the rules
 * that list the mirror, the preferences that were met, those that were not because rules contradict each other,
 * and the deciding rule.
 */
export function explainOrder(rules: readonly MirrorRule[]): readonly OrderExplanation[] {
  const cuts = new Map<string, Cut>();
  const order = placeInOrder(chainsOf(rules), (cut) => cuts.set(cut.name, cut));
  const position = new Map(order.map((name, index) => [name, index]));
  const positionOf = (name: string) => position.get(name) ?? order.length;
  const before = precedences(rules);

  /** The last name that had to be placed before this one was ready; undefined when none had to. */
  const freedBy = (name: string): string | undefined =>
    [...(before.get(name)?.keys() ?? [])].sort((a, b) => positionOf(b) - positionOf(a))[0];

  /** Sorted by name, the order in which names that become ready together are placed. */
  const readyWith = (name: string): readonly string[] =>
    order.filter((other) => other !== name && !cuts.has(other) && freedBy(other) === freedBy(name));

  const placeOf = (name: string): PlaceRule => {
    const cut = cuts.get(name);
    if (cut) {
      const waiting = cut.waitingFor.join(", ");
      const text = sentence`Rules contradict each other: every remaining mirror waits for another one. The first by name is placed next, although it waits for ${waiting}.`;
      return { code: "cut", text };
    }
    const last = freedBy(name);
    if (last === undefined)
      return {
        code: "first",
        text: sentence`Ready from the start: no rule puts anything before it.${alike(readyWith(name))}`,
      };
    return { code: "freed", text: sentence`Ready once ${last} is placed.${alike(readyWith(name))}` };
  };

  return order.map((location) => {
    const preferences = [...(before.get(location) ?? [])].map(
      ([mirror, because]): Precedence => ({ mirror, because }),
    );
    const isMet = ({ mirror }: Precedence) => positionOf(mirror) < positionOf(location);
    return {
      location,
      listedBy: mentions(rules, location),
      after: preferences.filter(isMet),
      despite: preferences.filter((preference) => !isMet(preference)),
      place: placeOf(location),
    };
  });
}

/** Why a mirror has its position and settings. */
export type MirrorExplanation = OrderExplanation &
  Readonly<{
    /** The pulls that it serves. */
    pulls: "digest" | "tag" | "both";
    /** The fields that make TLS optional. Empty when TLS is required. */
    insecureBy: readonly Origin[];
    /** The mirror of an outer source that this one was made from. */
    inherited: Readonly<{ scope: string; location: string }> | null;
  }>;

/** Why an entry of registries.conf has its contents. */
export type SourceExplanation = Readonly<{
  scope: string;
  /** In the order of trying; the source itself comes after them. */
  mirrors: readonly MirrorExplanation[];
  /** The fields that forbid contacting the source. Empty when it is tried last. */
  blockedBy: readonly Origin[];
  /** The fields that make TLS optional at the source. Empty when TLS is required. */
  insecureBy: readonly Origin[];
  /** The outer source of all mirrors, when the entry has none of its own. */
  inheritsFrom: string | null;
}>;

/** The base file has no fields with paths. */
const inFile: Origin = { kind: "File", name: "registries.conf", path: "" };

function listedBy(scopes: readonly ListedScope[], place: string): readonly Origin[] {
  return scopes
    .filter(({ scope }) => isNested(place, scope))
    .map(({ path }) => ({ kind: "Image", name: "cluster", path }));
}

function pullsOf({ pullFromMirror }: RegistryMirror): MirrorExplanation["pulls"] {
  if (pullFromMirror === "digest-only") return "digest";
  return pullFromMirror === "tag-only" ? "tag" : "both";
}

const baseText = "It is in the base file, and stays before all others.";

function explainGroup({ mirrors, rules }: MergedMirrors): readonly OrderExplanation[] {
  const explained = new Map(explainOrder(rules).map((one) => [one.location, one]));
  return mirrors.flatMap((location) => explained.get(location) ?? []);
}

type Groups = { -readonly [kind in keyof EntryBasis["merged"]]?: MergedMirrors };

function groupBySource(merged: EntryBasis["merged"]): ReadonlyMap<string, Groups> {
  const bySource = new Map<string, Groups>();
  for (const kind of ["digest", "tag"] as const) {
    for (const group of merged[kind]) {
      const known = bySource.get(group.source) ?? {};
      known[kind] = group;
      bySource.set(group.source, known);
    }
  }
  return bySource;
}

function ownMirrors(base: RegistryEntry | undefined, groups: Groups): readonly OrderExplanation[] {
  const explain = (group: MergedMirrors | undefined) => (group ? explainGroup(group) : []);
  const fromBase = (base?.mirrors ?? []).map(
    ({ location }): OrderExplanation => ({
      location,
      listedBy: [inFile],
      after: [],
      despite: [],
      place: { code: "base", text: baseText },
    }),
  );
  return [...fromBase, ...explain(groups.digest), ...explain(groups.tag)];
}

function neverContactedBy({ digest, tag }: Groups): readonly Origin[] {
  const rules = [digest, tag].flatMap((group) => (group?.neverContact ? group.rules : []));
  const closing = new Set(rules.filter(({ policy }) => policy === neverContactSource));
  return [...closing].map((rule) => ruleOrigin(rule, ".mirrorSourcePolicy"));
}

/** An entry without mirrors inherits those of the outer source that was merged first. */
function outerSources(groups: readonly MergedMirrors[]): (scope: string) => string | undefined {
  const rankOf = new Map<string, number>();
  for (const [rank, { source }] of groups.entries()) if (!rankOf.has(source)) rankOf.set(source, rank);
  const ranks = new ScopeIndex(rankOf);
  return (scope) => groups[ranks.enclosing(scope).reduce((a, b) => Math.min(a, b), groups.length)]?.source;
}

function firstByScope(entries: readonly RegistryEntry[]): ReadonlyMap<string, RegistryEntry> {
  return new Map(entries.toReversed().map((entry) => [scopeOf(entry), entry]));
}

/**
 * Explains entries of registries.conf, all of them or that of `scope`: for each mirror the rules that list it and
 * the reason for its position, what was inherited, why the source or a mirror is blocked or does not need TLS.
 * Takes the entries as rendered, and their inputs.
 */
export function explainSources(
  entries: readonly RegistryEntry[],
  basis: EntryBasis,
  scope?: string,
): readonly SourceExplanation[] {
  const { merged, insecure, blocked } = basis;
  const groupsOf = groupBySource(merged);
  const outerSource = outerSources(allGroups(merged));
  const baseOf = firstByScope(basis.base);
  const entryOf = firstByScope(entries);

  const explainMirrors = (
    entry: RegistryEntry,
    reasons: readonly OrderExplanation[],
    base: RegistryEntry | undefined,
  ): readonly MirrorExplanation[] =>
    entry.mirrors.flatMap((mirror, index): MirrorExplanation[] => {
      const reason = reasons[index];
      if (!reason) return [];
      const flagged = base?.mirrors[index]?.insecure ? [inFile] : [];
      const insecureBy = [...flagged, ...listedBy(insecure, mirror.location)];
      return [{ ...reason, pulls: pullsOf(mirror), insecureBy, inherited: null }];
    });

  const explain = (entry: RegistryEntry): SourceExplanation => {
    const own = scopeOf(entry);
    const base = entry === entryOf.get(own) ? baseOf.get(own) : entry;
    const groups = groupsOf.get(own) ?? {};
    const reasons = ownMirrors(base, groups);
    const flags = {
      scope: own,
      blockedBy: [...(base?.blocked ? [inFile] : []), ...neverContactedBy(groups), ...listedBy(blocked, own)],
      insecureBy: [...(base?.insecure ? [inFile] : []), ...listedBy(insecure, own)],
    };
    const outer = outerSource(own);
    const parent = outer === undefined ? undefined : entryOf.get(outer);
    if (reasons.length > 0 || outer === undefined || !parent || entry.mirrors.length === 0)
      return { ...flags, inheritsFrom: null, mirrors: explainMirrors(entry, reasons, base) };
    const { mirrors } = explain(parent);
    return {
      ...flags,
      inheritsFrom: outer,
      mirrors: mirrors.flatMap((mirror, index): MirrorExplanation[] => {
        const location = entry.mirrors[index]?.location;
        return location === undefined
          ? []
          : [{ ...mirror, location, inherited: { scope: outer, location: mirror.location } }];
      }),
    };
  };
  return entries.filter((entry) => scope === undefined || scopeOf(entry) === scope).map(explain);
}
