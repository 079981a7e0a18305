import { isSource } from "../../images/location-patterns.ts";
import { indexScopes, isNested, ScopeIndex } from "../../images/scope.ts";
import { fieldWarning } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { type ListedScope, registrySources } from "../input/read-image.ts";
import type { MirrorRule } from "../input/rules.ts";
import { type Assembled, type LintFinding, lintFinding, scopeFinding } from "./lint-finding.ts";

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

/** An allowed scope inside of a source allows only a part of it. */
function partlyAllowed(allowed: readonly ListedScope[], sources: readonly string[]): ReadonlySet<string> {
  const index = new ScopeIndex(sources.map((source) => [source, source]));
  return new Set(allowed.flatMap(({ scope }) => index.enclosing(scope)));
}

function findNotAllowed({ rules, allowed }: Assembled): readonly LintFinding[] {
  // Older API servers accepted scopes with tags and worse, for which the finding would not be certain.
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
 * Finds rules whose images policy.json rejects: it matches the requested name, independent of the mirror. The
 * release payload is accepted by its name.
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

function redundantScope(image: KubernetesObject, listed: ListedScope, outer: string): LintFinding {
  const { scope } = listed;
  const inside =
    scope === outer ? "is listed twice" : sentence`lies in ${goQuote(outer)}, which is listed too`;
  return scopeFinding(image, listed, {
    code: "RedundantScope",
    about: outer,
    message: sentence`${goQuote(scope)} ${inside}`,
    remedy: "Remove this one; it makes no difference.",
  });
}

function redundantAmong(image: KubernetesObject, listed: readonly ListedScope[]): readonly LintFinding[] {
  const index = new ScopeIndex(listed.map(({ scope }) => [scope, scope]));
  const seen = new Set<string>();
  return listed.flatMap((one): LintFinding[] => {
    const outer = seen.has(one.scope) ? one.scope : index.enclosing(one.scope)[0];
    seen.add(one.scope);
    return outer === undefined ? [] : [redundantScope(image, one, outer)];
  });
}

/** Finds scopes of a list that another scope of the same list contains. */
export function redundantScopes({ image, insecure, blocked, allowed }: Assembled): readonly LintFinding[] {
  return image ? [insecure, blocked, allowed].flatMap((listed) => redundantAmong(image, listed)) : [];
}
