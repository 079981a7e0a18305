import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { isNested } from "../../images/scope.ts";
import { type Issue, issueObject } from "../../issues/issue.ts";
import { isSameJson, someOf } from "../../json/values.ts";
import { displayName, type KubernetesObject } from "../../kubernetes/object.ts";
import { neededImages, type ReleaseImage } from "../input/release-image.ts";
import type { ImagePolicy, LeftOutPolicy, PolicyScope } from "./image-policy.ts";
import type { ImagePolicies } from "./read-policies.ts";
import {
  acceptAnything,
  addRequirements,
  findPolicy,
  type Requirement,
  reject,
  type ScopeRequirements,
  type SignaturePolicy,
} from "./requirement.ts";

/*
 * A policy that is left out opens nothing: its scopes keep the requirements that are applied, and are rejected where none
 * are. While a scope cannot be read, every applied one that nothing names stays.
 */

/** The signature policies that were applied last. */
export type AppliedPolicies = Readonly<{
  cluster: SignaturePolicy;
  namespaces: ReadonlyMap<string, SignaturePolicy>;
}>;

/** The policies in force for all pods, or for those of one namespace. */
type Room = Readonly<{
  usable: readonly ImagePolicy[];
  leftOut: readonly LeftOutPolicy[];
  /** What is applied. */
  applied: SignaturePolicy;
  /** The applied requirements that came from policies of this room, or from lists. */
  own: ScopeRequirements;
}>;

type Effect = "kept" | "rejected" | "open";
type Kept = Readonly<{
  object: KubernetesObject;
  scope: string;
  effect: Effect;
  policies: readonly ImagePolicy[];
}>;

export type KeepContext = Readonly<{
  release: ReleaseImage;
  /** The scopes that are blocked. */
  blocked: ReadonlySet<string>;
  applied: () => AppliedPolicies;
}>;

const without = (all: readonly Requirement[], others: readonly Requirement[]): readonly Requirement[] => {
  const rest = [...all];
  for (const other of others) {
    const at = rest.findIndex((one) => isSameJson(one, other));
    if (at >= 0) rest.splice(at, 1);
  }
  return rest;
};

/** Returns what a policy adds to another, without what accepts everything. */
function addedTo(outer: SignaturePolicy | undefined, policy: SignaturePolicy): ScopeRequirements {
  const added = [...policy.scopes].map(([scope, requirements]) => {
    const own = without(requirements, outer?.scopes.get(scope) ?? []);
    return [scope, own.filter((requirement) => requirement !== acceptAnything)] as const;
  });
  return new Map(added.filter(([, own]) => own.length > 0));
}

const policiesAt = (
  object: KubernetesObject,
  at: PolicyScope,
  requirements: readonly Requirement[],
): readonly ImagePolicy[] => requirements.map((requirement) => ({ object, scopes: [at], requirement }));

/**
 * Rejects a scope without cutting nodes off from their release: its repositories inside of the scope stay as they are
 * applied. Returns undefined where that is not possible, or where it is not known where they are.
 */
function rejecting(
  object: KubernetesObject,
  at: PolicyScope,
  { applied, own }: Room,
  release: ReleaseImage,
): readonly ImagePolicy[] | undefined {
  const needed = neededImages(release);
  if (needed.some(({ repository }) => isNested(at.scope, repository))) return undefined;
  const inside = needed.filter(({ repository }) => isNested(repository, at.scope));
  const isKnown = release.state !== "known" || release.isComplete;
  if (inside.length > 0 && !isKnown && !own.get(at.scope)?.includes(reject)) return undefined;
  return [
    ...policiesAt(object, at, [reject]),
    ...inside.flatMap(({ repository }) => {
      const { requirements } = findPolicy(applied, { repository });
      return policiesAt(object, { ...at, scope: repository }, requirements);
    }),
  ];
}

/** Keeps the scopes of policies that are left out. */
function keepNamed(room: Room, release: ReleaseImage): readonly Kept[] {
  const usable = new Map<string, readonly Requirement[]>();
  for (const { scopes, requirement } of room.usable)
    for (const { scope } of scopes) addRequirements(usable, scope, [requirement]);
  const named = room.leftOut.flatMap(({ object, scopes }) => scopes.map((at) => ({ object, at })));
  return [...Map.groupBy(named, ({ at }) => at.scope)].flatMap(([scope, policies]): readonly Kept[] => {
    const applied = without(room.own.get(scope) ?? [], usable.get(scope) ?? []);
    // With fewer requirements than policies, one of these was never applied.
    const isApplied = applied.length >= policies.length && !applied.includes(reject);
    return policies.map(({ object, at }, index): Kept => {
      const rejected = isApplied ? undefined : rejecting(object, at, room, release);
      const added = isApplied ? policiesAt(object, at, applied) : (rejected ?? []);
      const effect = isApplied ? "kept" : rejected ? "rejected" : "open";
      return { object, scope, effect, policies: index === 0 ? added : [] };
    });
  });
}

/** Keeps every applied scope that nothing names while a policy has scopes that cannot be read. */
function keepUnnamed({ usable, leftOut, own }: Room, blocked: ReadonlySet<string>): readonly Kept[] {
  const unreadable = leftOut.filter(({ hasUnreadable }) => hasUnreadable);
  const [first] = unreadable;
  if (!first) return [];
  const named = new Set([...usable, ...leftOut].flatMap(({ scopes }) => scopes.map(({ scope }) => scope)));
  const unnamed = [...own].filter(([scope]) => !named.has(scope) && !blocked.has(scope));
  return unnamed.flatMap(([scope, requirements]) =>
    unreadable.map(({ object }): Kept => {
      const policies =
        object === first.object ? policiesAt(object, { scope, path: "spec.scopes" }, requirements) : [];
      return { object, scope, effect: "kept", policies };
    }),
  );
}

const effectText: Readonly<Record<Effect, (scopes: string, isOne: boolean) => string>> = {
  kept: (scopes, isOne) => sentence`${scopes} ${isOne ? "keeps" : "keep"} what is applied`,
  rejected: (scopes) => sentence`images in ${scopes} are rejected`,
  open: (scopes, isOne) =>
    sentence`${scopes} ${isOne ? "stays" : "stay"} as applied, because images of the release are there`,
};

function withEffects(issue: Issue, kept: readonly Kept[]): Issue {
  const byEffect = Map.groupBy(kept, ({ effect }) => effect);
  const texts = [...byEffect].map(([effect, all]) => {
    const scopes = [...new Set(all.map(({ scope }) => goQuote(scope)))];
    return effectText[effect](someOf(scopes), scopes.length === 1);
  });
  return {
    ...issue,
    message: sentence`${issue.message}; what is left out opens nothing: ${texts.join(", ")}`,
  };
}

/** Adds to the first error of each policy what becomes of its scopes. */
function withAllEffects(issues: readonly Issue[], kept: readonly Kept[]): readonly Issue[] {
  const byObject = Map.groupBy(kept, ({ object }) => displayName(issueObject(object)));
  return issues.map((issue) => {
    const name = displayName(issue.object);
    const ofObject = byObject.get(name);
    if (issue.severity !== "error" || !ofObject) return issue;
    byObject.delete(name);
    return withEffects(issue, ofObject);
  });
}

/**
 * Returns the policies with those that keep the scopes of policies which are left out, and `explain`, which adds to issues
 * what becomes of them.
 */
export function keepPolicies(
  { cluster, namespaced, leftOut }: ImagePolicies,
  { release, blocked, applied }: KeepContext,
): Readonly<{
  cluster: readonly ImagePolicy[];
  namespaced: readonly ImagePolicy[];
  explain: (issues: readonly Issue[]) => readonly Issue[];
}> {
  if (leftOut.length === 0) return { cluster, namespaced, explain: (issues) => issues };
  const before = applied();
  const keep = (room: Room) => [...keepNamed(room, release), ...keepUnnamed(room, blocked)];
  const namespaceOf = ({ object }: Pick<ImagePolicy, "object">) => object.metadata.namespace;
  const byNamespace = Map.groupBy(leftOut, namespaceOf);
  const ofCluster = keep({
    usable: cluster,
    leftOut: byNamespace.get(undefined) ?? [],
    applied: before.cluster,
    own: addedTo(undefined, before.cluster),
  });
  byNamespace.delete(undefined);
  const inNamespaces = [...byNamespace].flatMap(([namespace = "", policies]) => {
    const file = before.namespaces.get(namespace);
    return keep({
      usable: namespaced.filter((policy) => namespaceOf(policy) === namespace),
      leftOut: policies,
      applied: file ?? before.cluster,
      own: file ? addedTo(before.cluster, file) : new Map(),
    });
  });
  const policiesOf = (kept: readonly Kept[]) => kept.flatMap(({ policies }) => policies);
  return {
    cluster: [...cluster, ...policiesOf(ofCluster)],
    namespaced: [...namespaced, ...policiesOf(inNamespaces)],
    explain: (issues) => withAllEffects(issues, [...ofCluster, ...inNamespaces]),
  };
}
