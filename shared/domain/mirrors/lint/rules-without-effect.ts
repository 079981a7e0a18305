import { isRegistryHost } from "../../images/image-reference.ts";
import { isSource } from "../../images/location-patterns.ts";
import { hostOf, isNested } from "../../images/scope.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { someOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { ListedScope } from "../input/read-image.ts";
import { type MirrorRule, neverContactSource, ruleName } from "../input/rules.ts";
import { allGroups } from "../merge/entries.ts";
import { chainsOf, hasRealMirror, type MergedMirrors } from "../merge/merge.ts";
import { type Assembled, type LintFinding, lintFinding, scopeFinding } from "./lint-finding.ts";

/** A rule with the order of its mirrors and its source; the source is last unless the rule lists it elsewhere. */
type Ordered = Readonly<{ rule: MirrorRule; chain: readonly string[] }>;

const positionsOf = (names: readonly string[]): ReadonlyMap<string, number> =>
  new Map(names.map((name, index) => [name, index]));

/** Returns the pairs of neighbours in a chain whose order is reversed in the merged one. */
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

/** Finds rules whose order of mirrors is lost because rules of the same source contradict each other. */
export function contradictingOrders({ merged }: Pick<Assembled, "merged">): readonly LintFinding[] {
  return allGroups(merged).flatMap(lostOrders);
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

/** Finds rules without mirrors, which are dropped before the merge, together with their policy. */
export function rulesWithoutMirrors({ rules }: Assembled): readonly LintFinding[] {
  return rules.filter((rule) => !hasRealMirror(rule)).map(ruleWithoutMirrors);
}

const dockerHub = "docker.io";
const oldDockerHub = "index.docker.io";

type FindingText = Readonly<{ about: string; message: string; remedy: string }>;

function whyUnmatched(scope: string): FindingText | undefined {
  const host = hostOf(scope);
  const path = scope.slice(host.length + 1);
  if (host === oldDockerHub) {
    return {
      about: oldDockerHub,
      message: sentence`${goQuote(scope)} matches no image: those of ${oldDockerHub} are looked up as ${dockerHub}`,
      remedy: sentence`Write ${path === "" ? dockerHub : `${dockerHub}/${path}`}.`,
    };
  }
  if (path === "" || isRegistryHost(host)) return undefined;
  return {
    about: "",
    message: sentence`${goQuote(scope)} matches no image: a name without a registry is looked up as ${dockerHub}/${scope}`,
    remedy: sentence`Add the registry, for example ${dockerHub}/${scope}.`,
  };
}

/** A source `docker.io/alpine` with a mirror `…/library/alpine`: the intended image has another name. */
function officialImage({ source, mirrors }: MirrorRule): FindingText | undefined {
  const name = source.startsWith(`${dockerHub}/`) ? source.slice(dockerHub.length + 1) : "/";
  if (name.includes("/") || !mirrors.some((mirror) => mirror.endsWith(`/library/${name}`))) return undefined;
  return {
    about: "library",
    message: sentence`${goQuote(source)} does not match the image ${name}, which is looked up as ${dockerHub}/library/${name}`,
    remedy: sentence`Write ${dockerHub}/library/${name}.`,
  };
}

const code = "NeverMatches";

function inRule(rule: MirrorRule): readonly LintFinding[] {
  const text = whyUnmatched(rule.source) ?? officialImage(rule);
  return text ? [lintFinding(rule, "source", rule.source, { ...text, code })] : [];
}

function inList(image: KubernetesObject, listed: ListedScope): readonly LintFinding[] {
  // Scopes that only older API servers accepted may have any form.
  const text = isSource(listed.scope) ? whyUnmatched(listed.scope) : undefined;
  return text ? [scopeFinding(image, listed, { ...text, code })] : [];
}

/** Finds sources and listed scopes that match no image because the runtime completes names first. */
export function unmatchedNames({
  rules,
  image,
  insecure,
  blocked,
  allowed,
}: Assembled): readonly LintFinding[] {
  return [
    ...rules.flatMap(inRule),
    ...(image ? [...insecure, ...blocked, ...allowed].flatMap((listed) => inList(image, listed)) : []),
  ];
}

/** The namespace of one major version of OpenShift. */
const ofMajor = /^registry\.redhat\.io\/openshift\d+$/;

/**
 * Finds mirrors of OpenShift 4's namespace while the release is newer: its images are also in a namespace of its own, which
 * has no mirror.
 */
export function earlierNamespaces({ rules, publishedRepositories }: Assembled): readonly LintFinding[] {
  const isMirrored = (namespace: string) =>
    rules.some(({ source }) => isNested(namespace, source) || isNested(source, namespace));
  const newer = publishedRepositories.filter((one) => ofMajor.test(one) && !isMirrored(one));
  const rule = rules.find(({ source }) => source === "registry.redhat.io/openshift4");
  if (!rule) return [];
  return newer.map((repository) =>
    lintFinding(rule, "source", rule.source, {
      code: "NewerNamespaceNotMirrored",
      about: repository,
      message: sentence`images of the release are in ${repository} too, which these mirrors do not serve`,
      remedy: sentence`Add a rule for ${repository}.`,
    }),
  );
}
