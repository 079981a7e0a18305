import { isRegistryHost } from "../../images/image-reference.ts";
import { isSource } from "../../images/location-patterns.ts";
import { hostOf, isNested } from "../../images/scope.ts";
import type { Issue } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { someOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { ListedScope } from "../input/read-image.ts";
import { type MirrorRule, neverContactSource } from "../input/rules.ts";
import { allGroups } from "../merge/entries.ts";
import { chainsOf, hasRealMirror, type MergedMirrors } from "../merge/merge.ts";
import { blockedMirrors, contactedSources, failingMirrors, hiddenMirrors } from "./failing-pulls.ts";
import {
  defaultIdentities,
  policiesOfMirrors,
  rejectedInternalRegistry,
  rejectedSources,
} from "./image-lists.ts";
import {
  type Assembled,
  type LintFinding,
  lintFinding,
  type Reporting,
  reported,
  scopeFinding,
} from "./lint-finding.ts";

function lostOrders({ source, mirrors, rules }: MergedMirrors): readonly LintFinding[] {
  const merged = mirrors.includes(source) ? mirrors : [...mirrors, source];
  const positions = new Map(merged.map((name, index) => [name, index]));
  return chainsOf(rules).flatMap((chain, index): readonly LintFinding[] => {
    const rule = rules[index];
    const own = [...new Set(chain)].map((name) => positions.get(name) ?? 0);
    if (!rule || own.every((position, at) => position >= (own[at - 1] ?? 0))) return [];
    return [
      lintFinding(rule, "mirrors", rule.mirrors, {
        code: "ContradictingOrder",
        about: source,
        message: sentence`This order is lost: nodes try ${someOf(mirrors)}. Where rules contradict each other, the first mirror by name is placed first`,
        remedy: sentence`Write all mirrors of ${source} into one rule, in the order in which nodes are to try them.`,
      }),
    ];
  });
}

/** Finds rules whose order of mirrors is lost because rules of the same source contradict each other. */
function contradictingOrders({ merged }: Pick<Assembled, "merged">): readonly LintFinding[] {
  return allGroups(merged).flatMap((group) => (group.rules.length > 1 ? lostOrders(group) : []));
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
function rulesWithoutMirrors({ rules }: Assembled): readonly LintFinding[] {
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

const code = "NeverMatches";

function inRule(rule: MirrorRule): readonly LintFinding[] {
  const text = whyUnmatched(rule.source);
  return text ? [lintFinding(rule, "source", rule.source, { ...text, code })] : [];
}

function inList(image: KubernetesObject, listed: ListedScope): readonly LintFinding[] {
  // Scopes that only older API servers accepted may have any form.
  const text = isSource(listed.scope) ? whyUnmatched(listed.scope) : undefined;
  return text ? [scopeFinding(image, listed, { ...text, code })] : [];
}

/** Finds sources and listed scopes that match no image because the runtime completes names first. */
function unmatchedNames({ rules, image, insecure, blocked, allowed }: Assembled): readonly LintFinding[] {
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
function earlierNamespaces({ rules, publishedRepositories }: Assembled): readonly LintFinding[] {
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

const checks = [
  contradictingOrders,
  rulesWithoutMirrors,
  unmatchedNames,
  earlierNamespaces,
  failingMirrors,
  blockedMirrors,
  rejectedSources,
  rejectedInternalRegistry,
  hiddenMirrors,
  contactedSources,
  policiesOfMirrors,
  defaultIdentities,
];

/**
 * Returns warnings about configuration without an effect, or with a misleading one: unused rules and mirrors, flags that
 * reach less far than expected. All of them are certain; possibly intended configuration is not reported.
 */
export function lint(assembled: Assembled, reporting?: Reporting): readonly Issue[] {
  return reported(
    checks.flatMap((check) => check(assembled)),
    reporting,
  );
}
