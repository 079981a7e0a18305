import { type MirrorRule, rulePath } from "../input/rules.ts";
import { chainsOf } from "../merge/merge.ts";
import { type Cut, placeInOrder } from "../merge/topology.ts";

/** A field of an object: whose it is, and its path from the object's root. */
export type Origin = Readonly<{ kind: string; name: string; path: string }>;

/** A wish of one or more rules: that `mirror` is tried before the one that is explained. */
export type Precedence = Readonly<{ mirror: string; because: readonly Origin[] }>;

/** What put a mirror exactly where it is. */
export type PlaceRule = Readonly<{
  code: /** No rule puts anything before it. */
    | "first"
    /** All that rules put before it was placed. */
    | "freed"
    /** It is in a cycle, which was cut here. */
    | "cut"
    /** It was in the base file. */
    | "base"
    /** The rules contradict each other; it is what was applied last. */
    | "kept";
  text: string;
}>;

/** Why one mirror of a source stands where it stands. */
export type OrderExplanation = Readonly<{
  location: string;
  /** Every mention of it. Empty for the source when no rule mentions it. */
  listedBy: readonly Origin[];
  /** What rules put directly before it, and is. */
  after: readonly Precedence[];
  /** What rules put directly before it, and is not: where a cycle was cut. */
  despite: readonly Precedence[];
  place: PlaceRule;
}>;

/** The field of a rule, or a field below it. */
export function ruleOrigin({ origin }: MirrorRule, field = ""): Origin {
  const { kind, metadata } = origin.object;
  return { kind, name: metadata.name, path: `${rulePath(origin)}${field}` };
}

/** For each name, the names that rules put directly before it, with the rules that do. */
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
  return ` So ${are} ${names.join(", ")}; those that are ready together go by name.`;
}

/**
 * Explains the order into which the rules of one source are merged, the source itself included. For each place
 * it says which rules mention it, which wishes about its place came true, which did not because rules contradict
 * each other, and what decided in the end.
 */
export function explainOrder(rules: readonly MirrorRule[]): readonly OrderExplanation[] {
  const cuts = new Map<string, Cut>();
  const order = placeInOrder(chainsOf(rules), (cut) => cuts.set(cut.name, cut));
  const position = new Map(order.map((name, index) => [name, index]));
  const positionOf = (name: string) => position.get(name) ?? order.length;
  const before = precedences(rules);

  /** What had to be placed last of all before this one was ready; undefined when nothing had to. */
  const freedBy = (name: string): string | undefined =>
    [...(before.get(name)?.keys() ?? [])].sort((a, b) => positionOf(b) - positionOf(a))[0];

  /** By name, as those that are freed together are placed. */
  const readyWith = (name: string): readonly string[] =>
    order.filter((other) => other !== name && !cuts.has(other) && freedBy(other) === freedBy(name));

  const placeOf = (name: string): PlaceRule => {
    const cut = cuts.get(name);
    if (cut) {
      const waiting = cut.waitingFor.join(", ");
      const text = `Rules contradict each other: every mirror that was left had to wait for another one. Then the first by name goes next, although it waits for ${waiting}.`;
      return { code: "cut", text };
    }
    const last = freedBy(name);
    if (last === undefined)
      return {
        code: "first",
        text: `Ready from the start: no rule puts anything before it.${alike(readyWith(name))}`,
      };
    return { code: "freed", text: `Ready once ${last} is placed.${alike(readyWith(name))}` };
  };

  return order.map((location) => {
    const wishes = [...(before.get(location) ?? [])].map(
      ([mirror, because]): Precedence => ({ mirror, because }),
    );
    const cameTrue = ({ mirror }: Precedence) => positionOf(mirror) < positionOf(location);
    return {
      location,
      listedBy: mentions(rules, location),
      after: wishes.filter(cameTrue),
      despite: wishes.filter((wish) => !cameTrue(wish)),
      place: placeOf(location),
    };
  });
}
