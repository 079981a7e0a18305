import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { someOf } from "../../kubernetes/json/values.ts";
import { displayName, referenceTo } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { type MirrorRule, neverContactSource, ruleName } from "../input/rules.ts";
import { chainsOf, hasRealMirror, type MergedMirrors } from "../merge/merge.ts";
import { allGroups } from "../merge/merged-sources.ts";
import { type Assembled, type LintFinding, lintFinding } from "./lint-finding.ts";

/** A rule with the order of its mirrors; the source is among them, at the end unless the rule says otherwise. */
type Ordered = Readonly<{ rule: MirrorRule; chain: readonly string[] }>;

const positionsOf = (names: readonly string[]): ReadonlyMap<string, number> =>
  new Map(names.map((name, index) => [name, index]));

/** Returns the neighbours of a chain that are the other way round in an order. */
function reversedIn(
  chain: readonly string[],
  positions: ReadonlyMap<string, number>,
): readonly (readonly [string, string])[] {
  return chain.flatMap((name, index) => {
    const before = chain[index - 1];
    const [at, atBefore] = [positions.get(name), before === undefined ? undefined : positions.get(before)];
    const isReversed = before !== undefined && at !== undefined && atBefore !== undefined && at < atBefore;
    return isReversed ? [[before, name] as const] : [];
  });
}

function whoseOrder(lost: Ordered, ordered: readonly Ordered[], kept: readonly Ordered[]): string {
  const contradicts = ({ chain }: Ordered) => reversedIn(lost.chain, positionsOf(chain)).length > 0;
  const names = (some: readonly Ordered[]) =>
    someOf(
      some.map(({ rule }) => ruleName(rule)),
      3,
    );
  const why = "where rules contradict each other, the first mirror by name is placed first";
  const holding = kept.filter(contradicts);
  if (holding.length > 0) return sentence`The order of ${names(holding)} applies: ${why}`;
  const others = ordered.filter((one) => one !== lost && contradicts(one));
  return sentence`${others.length > 0 ? names(others) : "Other rules together"} contradict it, and no order applies as a whole: ${why}`;
}

function lostOrders({ source, mirrors, rules }: MergedMirrors): readonly LintFinding[] {
  if (rules.length < 2) return [];
  const positions = positionsOf(mirrors.includes(source) ? mirrors : [...mirrors, source]);
  const ordered = chainsOf(rules).flatMap((chain, index): Ordered[] => {
    const rule = rules[index];
    return rule ? [{ rule, chain: [...new Set(chain)] }] : [];
  });
  const isKept = ({ chain }: Ordered) => reversedIn(chain, positions).length === 0;
  const holding = ordered.filter(isKept);
  return ordered
    .filter((one) => !isKept(one))
    .map((lost) => {
      const why = whoseOrder(lost, ordered, holding);
      return lintFinding(lost.rule, "mirrors", lost.rule.mirrors, {
        code: "ContradictingOrder",
        about: source,
        message: sentence`This order is lost: nodes try ${someOf(mirrors)}. ${why}`,
        remedy: sentence`Write all mirrors of ${source} into one rule, in the order in which nodes are to try them.`,
      });
    });
}

/** Finds rules whose order of mirrors is lost, because rules of the same source contradict each other. */
export function contradictingOrders({ merged }: Pick<Assembled, "merged">): readonly LintFinding[] {
  return allGroups(merged).flatMap(lostOrders);
}

function duplicateRule(rule: MirrorRule, first: MirrorRule): LintFinding {
  return lintFinding(
    rule,
    "",
    { source: rule.source, mirrors: rule.mirrors },
    {
      code: "DuplicateRule",
      about: displayName(referenceTo(first.origin.object)),
      message: sentence`the same mirrors of ${goQuote(rule.source)} are in ${ruleName(first)}`,
      remedy: "Remove one of the two rules; the rendered file stays the same.",
    },
  );
}

function duplicatesAmong(rules: readonly MirrorRule[]): readonly LintFinding[] {
  const firsts = new Map<string, MirrorRule>();
  return rules.flatMap((rule) => {
    // Compared within one kind: a repetition in an older kind is reported with that kind's deprecation.
    const key = [rule.origin.object.kind, ...rule.mirrors].join(" ");
    const first = firsts.get(key);
    if (first) return duplicateRule(rule, first);
    firsts.set(key, rule);
    return [];
  });
}

/** Finds rules of one source, in one kind of object, with the same mirrors: merged, they have no effect. */
export function duplicateRules({ merged }: Assembled): readonly LintFinding[] {
  return allGroups(merged).flatMap(({ rules }) => (rules.length > 1 ? duplicatesAmong(rules) : []));
}

function ruleWithoutMirrors(rule: MirrorRule): LintFinding {
  const source = goQuote(rule.source);
  const forbids = rule.policy === neverContactSource;
  return lintFinding(rule, "mirrors", rule.mirrors, {
    code: "RuleWithoutMirrors",
    about: `${rule.policy} ${rule.source}`,
    message: forbids
      ? sentence`this rule has no mirror of ${source}, so its ${neverContactSource} has no effect`
      : sentence`this rule has no mirror of ${source} and no effect`,
    remedy: forbids
      ? "Add a mirror, or block the source by spec.registrySources.blockedRegistries of Image/cluster."
      : "Add a mirror, or remove the rule.",
  });
}

/** Finds rules that are dropped before they are merged, together with their policy. */
export function rulesWithoutMirrors({ rules }: Assembled): readonly LintFinding[] {
  return rules.filter((rule) => !hasRealMirror(rule)).map(ruleWithoutMirrors);
}
