import { isRegistryHost } from "../../images/image-reference.ts";
import { isSource } from "../../images/location-format.ts";
import { hostOf, indexScopes, isNested, isWildcard, ScopeIndex } from "../../images/scope.ts";
import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { someOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { type ListedScope, registrySources } from "../input/read-image.ts";
import { type MirrorRule, neverContactSource } from "../input/rules.ts";
import { allGroups, chainsOf, hasRealMirror, type MergedMirrors } from "../merge/merge.ts";
import type { PolicyScope } from "../policies/policy-field.ts";
import {
  blockedMirrors,
  contactedSources,
  defaultIdentities,
  failingMirrors,
  hiddenMirrors,
} from "./failing-pulls.ts";
import { type Assembled, gather, type LintFinding, lintFinding, scopeFinding } from "./lint-finding.ts";

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
  // A scope that only older API servers accepted may be any text.
  const text = isSource(listed.scope) ? whyUnmatched(listed.scope) : undefined;
  return text ? [scopeFinding(image, listed, { ...text, code })] : [];
}

/** Finds names that match no image: the container runtime compares only full image names with sources and scopes. */
function unmatchedNames({ rules, image, insecure, blocked, allowed }: Assembled): readonly LintFinding[] {
  return [
    ...rules.flatMap(inRule),
    ...(image ? [...insecure, ...blocked, ...allowed].flatMap((listed) => inList(image, listed)) : []),
  ];
}

const ofMajor = /^registry\.redhat\.io\/openshift\d+$/;

/** Since OpenShift 5, a release's images are in `openshift4` and in a namespace of the release's major version. */
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

const allowedRegistries = `${registrySources}.allowedRegistries`;

function blockedSource(rule: MirrorRule, scope: string): LintFinding {
  return lintFinding(rule, "source", rule.source, {
    code: "SourceBlocked",
    about: scope,
    message: sentence`images of ${goQuote(rule.source)} are rejected, from mirrors too, since ${goQuote(scope)} is blocked`,
    remedy: sentence`Remove ${scope} from ${registrySources}.blockedRegistries of Image/cluster and give the rule mirrorSourcePolicy NeverContactSource, or remove the rule.`,
  });
}

function sourceNotAllowed(rule: MirrorRule): LintFinding {
  return lintFinding(rule, "source", rule.source, {
    code: "SourceNotAllowed",
    about: "",
    message: sentence`images of ${goQuote(rule.source)} are rejected, from mirrors too, since the source is not in allowedRegistries`,
    remedy: `Add the source, not its mirrors, to ${allowedRegistries} of Image/cluster, or remove the rule.`,
  });
}

function findBlocked({ rules, rejected }: Assembled): readonly LintFinding[] {
  const scopes = new Map(rejected.map(({ scope }) => [scope, scope]));
  const index = new ScopeIndex(scopes);
  return rules.flatMap((rule) => {
    const scope = scopes.get(rule.source) ?? index.enclosing(rule.source)[0];
    return scope === undefined ? [] : blockedSource(rule, scope);
  });
}

function partlyAllowed(allowed: readonly ListedScope[], sources: readonly string[]): ReadonlySet<string> {
  const index = new ScopeIndex(sources.map((source) => [source, source]));
  return new Set(allowed.flatMap(({ scope }) => index.enclosing(scope)));
}

function findNotAllowed({ rules, allowed }: Assembled): readonly LintFinding[] {
  // Older API servers accepted scopes with tags and the like, which would make the finding uncertain.
  if (!allowed.every(({ scope }) => isSource(scope))) return [];
  const allowedIndex = indexScopes(allowed.map(({ scope }) => scope));
  const partly = partlyAllowed(
    allowed,
    rules.map(({ source }) => source),
  );
  return rules
    .filter(({ source }) => !allowedIndex.covers(source) && !partly.has(source))
    .map(sourceNotAllowed);
}

/** policy.json is matched with the requested image name, not with the name at a mirror. */
function rejectedSources(assembled: Assembled): readonly LintFinding[] {
  const { rules, allowed, rejected, needed } = assembled;
  if (allowed.length === 0 && rejected.length === 0) return [];
  const ofOthers = rules.filter(
    ({ source }) => !needed.some(({ repository }) => isNested(repository, source)),
  );
  const asked = { ...assembled, rules: ofOthers };
  return allowed.length > 0 ? findNotAllowed(asked) : findBlocked(asked);
}

function rejectedInternalRegistry({
  image,
  allowed,
  internalRegistry: host,
}: Assembled): readonly LintFinding[] {
  const scopes = allowed.map(({ scope }) => scope);
  if (!image || host === undefined || scopes.length === 0 || indexScopes(scopes).covers(host)) return [];
  return [
    {
      about: host,
      issue: fieldWarning(image, allowedRegistries, scopes, {
        code: "InternalRegistryNotAllowed",
        message: sentence`nodes reject the images of the cluster's own registry, since ${goQuote(host)} is not in allowedRegistries`,
        remedy: sentence`Add ${host} to ${allowedRegistries}.`,
      }),
    },
  ];
}

type Mirror = Readonly<{ mirror: string; source: string }>;

/** Returns a function that converts a scope of mirrors to the scopes by which pods name the images. */
function sourcesOf(rules: readonly MirrorRule[]): (scope: string) => ReadonlySet<string> {
  const mirrors = rules.flatMap(({ source, mirrors }) =>
    mirrors.map((mirror): Mirror => ({ mirror, source })),
  );
  const index = new ScopeIndex(Map.groupBy(mirrors, ({ mirror }) => mirror));
  return (scope) =>
    new Set(
      [index.get(scope) ?? [], ...index.enclosing(scope)]
        .flat()
        .map(({ mirror, source }) => (isWildcard(source) ? source : source + scope.slice(mirror.length))),
    );
}

function notVerified(object: KubernetesObject, { scope, path }: PolicyScope, source: string): LintFinding {
  return {
    about: source,
    issue: fieldWarning(object, path, scope, {
      code: "PolicyScopeOfMirror",
      message: sentence`${goQuote(scope)} is a mirror of ${goQuote(source)}, whose images are not verified: policies match the name in the pod, not the mirror`,
      remedy: sentence`Add the scope ${source}.`,
    }),
  };
}

/**
 * Finds policies for a mirror but not for its source. Images that pods name by the source are not verified. A scope
 * around a mirror is not reported, because its registry may have images of its own.
 */
function policiesOfMirrors({ rules, policies, rejected, allowed }: Assembled): readonly LintFinding[] {
  if (policies.length === 0) return [];
  const sourcesAt = sourcesOf(rules);
  const isRejected = indexScopes(rejected.map(({ scope }) => scope));
  const isAllowed = indexScopes(allowed.map(({ scope }) => scope));
  const scopesFor = (namespace: string | undefined) =>
    policies
      .filter(({ object: { metadata } }) => [undefined, namespace].includes(metadata.namespace))
      .flatMap(({ scopes }) => scopes.map(({ scope }) => scope));
  return policies.flatMap(({ object, scopes }) => {
    const isVerified = indexScopes(scopesFor(object.metadata.namespace));
    const isOpen = (source: string) =>
      !isVerified.covers(source) &&
      !isRejected.covers(source) &&
      (isAllowed.isEmpty || isAllowed.covers(source));
    return scopes.flatMap((policyScope) => {
      const sources = sourcesAt(policyScope.scope);
      return [...sources].filter(isOpen).map((source) => notVerified(object, policyScope, source));
    });
  });
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
 * Returns warnings about configuration that has no effect, or another effect than its author probably expects. All
 * warnings are certain: configuration that may be intended is not reported.
 */
export function lint(assembled: Assembled): readonly Issue[] {
  return gather(checks.flatMap((check) => check(assembled)));
}
