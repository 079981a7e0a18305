import { isRegistryHost } from "../../images/image-reference.ts";
import { indexScopes, ScopeIndex } from "../../images/scope.ts";
import { fieldWarning } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { byCodeUnit, fieldsOf, isRecord, ownValue } from "../../kubernetes/json/values.ts";
import { isPayloadPolicy } from "../../openshift/releases/payload-signature-policy.ts";
import { sentence } from "../../text/redact.ts";
import { type MirrorRule, neverContactSource, type PullKind, setKinds } from "../input/rules.ts";
import { allGroups, type MergedMirrors } from "../merge/merge.ts";
import type { ImagePolicy } from "../policies/read-policies.ts";
import { EntryLookup } from "../pull/pull-sources.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";
import { type Assembled, type LintFinding, lintFinding, scopeFinding } from "./lint-finding.ts";

const pullText: Readonly<Record<PullKind, string>> = {
  digest: "pull by digest",
  tag: "pull by tag",
  any: "pull",
};

function properHost(host: string): string | undefined {
  if (host === "index.docker.io") return "docker.io";
  return isRegistryHost(host) ? undefined : sentence`${host}.example.com or ${host}:5000`;
}

/**
 * Finds mirrors without a full host name. They make every pull from the source fail: the container runtime requires a
 * full reference at every mirror before it tries the first.
 */
export function failingMirrors({ rules }: Assembled): readonly LintFinding[] {
  return rules.flatMap((rule) =>
    rule.mirrors.flatMap((mirror, index): readonly LintFinding[] | LintFinding => {
      const [host = ""] = mirror.split("/", 1);
      const proper = properHost(host);
      if (proper === undefined || mirror === rule.source) return [];
      return lintFinding(rule, `mirrors[${index}]`, mirror, {
        code: "MirrorBreaksPulls",
        about: host,
        message: sentence`the mirror ${goQuote(mirror)} has no full host name: every ${pullText[rule.pullKind]} of ${goQuote(rule.source)} fails, before any mirror or the source is tried`,
        remedy: sentence`Write the host in full, for example ${proper}.`,
      });
    }),
  );
}

const code = "NeverContactSourceNotInherited";

function message(scope: string, outer: string): string {
  return sentence`${goQuote(scope)} may be contacted: ${neverContactSource} of ${goQuote(outer)} does not apply to it`;
}

function leavesPolicyOpen({ origin: { object, list, index } }: MirrorRule): boolean {
  const rules = isRecord(object.spec) ? ownValue(object.spec, list) : undefined;
  const written: unknown = Array.isArray(rules) ? rules[index] : undefined;
  return isRecord(written) && !written.mirrorSourcePolicy;
}

/**
 * Finds scopes that nodes may contact although a source around them has `NeverContactSource`. A mirrorSourcePolicy that
 * is set counts as intended.
 */
export function contactedSources({ merged, entries, image, insecure }: Assembled): readonly LintFinding[] {
  const groups = allGroups(merged);
  const forbidden = new Map(
    groups.filter(({ neverContact }) => neverContact).map(({ source }) => [source, source]),
  );
  if (forbidden.size === 0) return [];
  const index = new ScopeIndex(forbidden);
  const open = new Set(entries.filter(({ blocked }) => !blocked).map(scopeOf));
  const outerOf = (scope: string) => (open.has(scope) ? index.enclosing(scope)[0] : undefined);

  const sources = new Set(groups.map(({ source }) => source));
  const inRules = groups.flatMap(({ source, rules }): LintFinding[] => {
    const rule = rules.find(leavesPolicyOpen);
    const outer = rule && outerOf(source);
    if (!rule || outer === undefined) return [];
    return [
      lintFinding(rule, "source", source, {
        code,
        about: outer,
        message: message(source, outer),
        remedy: sentence`Give every rule of ${source} a mirrorSourcePolicy: ${neverContactSource}, or AllowContactingSource if that is intended.`,
      }),
    ];
  });
  const inList = (image ? insecure : []).flatMap((listed): LintFinding[] => {
    const { scope } = listed;
    const outer = sources.has(scope) ? undefined : outerOf(scope);
    if (!image || outer === undefined) return [];
    return [
      scopeFinding(image, listed, {
        code,
        about: outer,
        message: message(scope, outer),
        remedy: sentence`Add a rule for ${scope} with mirrorSourcePolicy ${neverContactSource}, or remove the scope from the list.`,
      }),
    ];
  });
  return [...inRules, ...inList];
}

function blockedMirror(rule: MirrorRule, index: number, scope: string, isListed: boolean): LintFinding {
  const mirror = goQuote(rule.mirrors[index] ?? "");
  const why = isListed ? "is blocked" : `must not be contacted (${neverContactSource})`;
  const fix = isListed
    ? "remove the scope from spec.registrySources.blockedRegistries of Image/cluster"
    : "allow contacting the source that contains it";
  return lintFinding(rule, `mirrors[${index}]`, rule.mirrors[index], {
    code: "MirrorBlocked",
    about: scope,
    message: sentence`the mirror ${mirror} is never used, since ${goQuote(scope)} ${why}`,
    remedy: `Remove the mirror, or ${fix}.`,
  });
}

function scopesAroundOpen(entries: readonly RegistryEntry[]): ReadonlySet<string> {
  const around = new Set<string>();
  for (const entry of entries) {
    if (entry.blocked) continue;
    const scope = scopeOf(entry);
    for (let at = scope.indexOf("/"); at >= 0; at = scope.indexOf("/", at + 1))
      around.add(scope.slice(0, at));
  }
  return around;
}

/** Finds mirrors in a blocked scope. The container runtime never uses such mirrors. */
export function blockedMirrors({ rules, entries, blocked }: Assembled): readonly LintFinding[] {
  const blockedEntries = indexScopes(entries.filter((entry) => entry.blocked).map(scopeOf));
  if (blockedEntries.isEmpty) return [];
  const listed = indexScopes(blocked.map(({ scope }) => scope));
  let lookup: EntryLookup | undefined;
  let aroundOpen: ReadonlySet<string> | undefined;

  const blockedBy = (mirror: string): string | undefined => {
    if (!blockedEntries.covers(mirror)) return undefined;
    lookup ??= new EntryLookup(entries);
    const entry = lookup.find(mirror);
    if (!entry?.blocked) return undefined;
    aroundOpen ??= scopesAroundOpen(entries);
    return aroundOpen.has(mirror) ? undefined : scopeOf(entry);
  };
  return rules.flatMap((rule) =>
    rule.mirrors.flatMap((mirror, index): LintFinding[] => {
      const scope = blockedBy(mirror);
      if (scope === undefined) return [];
      return [blockedMirror(rule, index, scope, listed.covers(mirror))];
    }),
  );
}

function sourcesOf(groups: readonly MergedMirrors[]): ReadonlyMap<string, string> {
  return new Map(groups.map(({ source }) => [source, source]));
}

/** The container runtime uses the longest scope; of equally long scopes, the first by name. */
function nearest(scopes: readonly string[]): string | undefined {
  return scopes.toSorted((a, b) => b.length - a.length || byCodeUnit(a, b))[0];
}

function hiddenFrom(
  kind: keyof typeof setKinds,
  own: readonly MergedMirrors[],
  others: readonly MergedMirrors[],
): LintFinding[] {
  const served = sourcesOf(own);
  if (served.size === 0 || others.length === 0) return [];
  const index = new ScopeIndex(served);
  return others.flatMap(({ source, rules }): LintFinding[] => {
    const [rule] = rules;
    const outer = rule && !served.has(source) ? nearest(index.enclosing(source)) : undefined;
    if (!rule || outer === undefined) return [];
    return [
      lintFinding(rule, "source", source, {
        code: "HidesMirrors",
        about: `${kind} ${outer}`,
        message: sentence`pulls by ${kind} of ${goQuote(source)} do not use the ${kind} mirrors of ${goQuote(outer)}, because it has mirrors of its own`,
        remedy: sentence`Add ${source} to an ${setKinds[kind]}, with the mirrors for pulls by ${kind}.`,
      }),
    ];
  });
}

/** Finds sources that have mirrors for one kind of pull, and hide the mirrors of an outer scope for the other kind. */
export function hiddenMirrors({ merged: { digest, tag } }: Assembled): readonly LintFinding[] {
  return [...hiddenFrom("digest", digest, tag), ...hiddenFrom("tag", tag, digest)];
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
 * Finds signature policies that refuse cosign's default signatures: these name neither the tag nor the digest. An
 * explicit matchPolicy other than RemapIdentity counts as intended; the payload's policy fits OpenShift's signatures.
 * Source: containers/image, policy_reference_match.go.
 */
export function defaultIdentities({ policies }: Assembled): readonly LintFinding[] {
  return policies.filter(({ object }) => !isPayloadPolicy(object)).flatMap(needsTag);
}
