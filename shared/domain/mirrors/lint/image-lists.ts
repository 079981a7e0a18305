import { isSource } from "../../images/location-patterns.ts";
import { indexScopes, isNested, isWildcard, ScopeIndex } from "../../images/scope.ts";
import { fieldWarning } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { fieldsOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { isPayloadPolicy } from "../../openshift/releases/payload-policy.ts";
import { sentence } from "../../text/redact.ts";
import { type ListedScope, registrySources } from "../input/read-image.ts";
import type { MirrorRule } from "../input/rules.ts";
import type { PolicyScope } from "../policies/policy-field.ts";
import type { ImagePolicy } from "../policies/read-policies.ts";
import { type Assembled, type LintFinding, lintFinding } from "./lint-finding.ts";

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

/** The sources with an allowed scope inside of them, which allows only a part of their images. */
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

/**
 * Finds rules whose images policy.json rejects: it matches the requested name, not the mirror's. The release payload is
 * accepted by its name.
 */
export function rejectedSources(assembled: Assembled): readonly LintFinding[] {
  const { rules, allowed, rejected, needed } = assembled;
  if (allowed.length === 0 && rejected.length === 0) return [];
  const ofOthers = rules.filter(
    ({ source }) => !needed.some(({ repository }) => isNested(repository, source)),
  );
  const asked = { ...assembled, rules: ofOthers };
  return allowed.length > 0 ? findNotAllowed(asked) : findBlocked(asked);
}

/** Finds an allowed list without the cluster's own image registry, whose images nodes then reject. */
export function rejectedInternalRegistry({
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

/** Returns the function that finds the sources, as pods name them, of a scope that is a mirror or inside of one. */
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
 * Finds signature policies of a mirror whose source has none: images that pods name by the source are pulled without a
 * signature. A scope around a mirror is not reported, because the registry may have images of its own.
 */
export function policiesOfMirrors({ rules, policies, rejected, allowed }: Assembled): readonly LintFinding[] {
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

const identity = "spec.policy.signedIdentity";
const refused = "a signature is refused when its name has neither tag nor digest, also for pulls by digest";

function needsTag({ object }: ImagePolicy): readonly LintFinding[] {
  const { signedIdentity } = fieldsOf(fieldsOf(object.spec).policy);
  const { matchPolicy } = fieldsOf(signedIdentity);
  const code = "SignatureNameNeedsTag";
  if (matchPolicy === "RemapIdentity") {
    const issue = fieldWarning(object, `${identity}.matchPolicy`, matchPolicy, {
      code,
      message: `with RemapIdentity ${refused}`,
      remedy:
        "Sign with the tag in the name (cosign: --sign-container-identity), or write matchPolicy ExactRepository with the signed repository, which needs no tag.",
    });
    return [{ about: "", issue }];
  }
  if ((signedIdentity ?? undefined) !== undefined) return [];
  const issue = fieldWarning(object, identity, null, {
    code,
    message: `by default ${refused}`,
    remedy:
      "Write matchPolicy MatchRepository if the signer leaves the tag out, as cosign does, or MatchRepoDigestOrExact if it does not.",
  });
  return [{ about: "", issue }];
}

/**
 * Finds policies that require a tag or a digest in the name of a signature: the default and RemapIdentity do
 * (containers/image, policy_reference_match.go), and cosign writes neither unless configured otherwise. Another match policy
 * is an explicit choice, and OpenShift signs its releases for its own.
 */
export function defaultIdentities({ policies }: Assembled): readonly LintFinding[] {
  return policies.filter(({ object }) => !isPayloadPolicy(object)).flatMap(needsTag);
}
