import { sentence } from "../../text/redact.ts";
import { type MirrorRule, rulePath } from "../input/rules.ts";
import { chainsOf } from "../merge/merge.ts";
import { type Cut, placeInOrder } from "../merge/mirror-order.ts";

/** A field of an object, by its path from the object's root. */
export type Origin = Readonly<{ kind: string; name: string; path: string }>;

/** A preference of one or more rules: `mirror` is tried before the explained one. */
export type Precedence = Readonly<{ mirror: string; because: readonly Origin[] }>;

/** The rule that decided the position of a mirror. */
export type PlaceRule = Readonly<{
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
export function ruleOrigin({ origin }: MirrorRule, field = ""): Origin {
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
