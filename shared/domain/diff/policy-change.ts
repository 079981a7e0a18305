import { splitReference } from "../images/image-reference.ts";
import { isNested } from "../images/scope.ts";
import { byCodeUnit, isSameJson, listOf, ownValue, someOf } from "../kubernetes/json/values.ts";
import {
  type PolicyRules,
  type PolicyVerdict,
  policyScopesOf,
  readPolicyRules,
  verdictOf,
} from "../mirrors/pull/policy-verdict.ts";
import { tryLoadRegistries } from "../mirrors/registries-conf/load-registries.ts";
import { type RegistryEntry, scopeOf } from "../mirrors/registries-conf/registries-conf.ts";
import { type NodeFile, namespaceOfPolicyPath, nodePaths } from "../openshift/machine-config/node-file.ts";
import { sentence } from "../text/redact.ts";

type Verdict = PolicyVerdict["verdict"];

/** A change of a signature policy, or of a block in registries.conf. Both decide which images nodes may pull. */
export type PolicyChange = Readonly<{
  path: string;
  /** A registry, namespace, repository or image. Null for the policy's default, which applies outside all scopes. */
  scope: string | null;
  before: Verdict;
  after: Verdict;
  /** `weaker` if nodes may now pull images that they refused; `stricter` if they may refuse images that they pulled. */
  effect: "weaker" | "stricter" | "other";
  /** One clause, without a full stop. */
  text: string;
}>;

const ranks: Readonly<Record<Verdict, number>> = { accept: 0, signature: 1, reject: 2 };
const everything: PolicyRules = { default: [{ type: "insecureAcceptAnything" }], docker: {} };

/** Returns the scopes that contain `scope`, in the order in which containers/image looks them up in policy.json. */
function around(scope: string): readonly string[] {
  const repository = scope.includes("/") ? splitReference(scope).name : scope;
  return [...new Set([...policyScopesOf({ repository }), ""])].filter((one) => one !== scope);
}

function requirementsOf(
  { docker, default: fallback }: PolicyRules,
  scopes: readonly string[],
): readonly unknown[] {
  const found = scopes.map((scope) => listOf(ownValue(docker, scope))).find(({ length }) => length > 0);
  return found ?? fallback;
}

type Pair = Readonly<{ before: readonly unknown[]; after: readonly unknown[] }>;

const isSamePair = (a: Pair, b: Pair) => isSameJson(a.before, b.before) && isSameJson(a.after, b.after);

function verdictText(verdict: Verdict, others: readonly string[]): string {
  if (verdict === "accept") return "any image may be pulled";
  if (verdict === "signature") return "only images with the required signature may be pulled";
  return others.length > 0
    ? sentence`only images of ${someOf(others)} may be pulled`
    : "no image may be pulled";
}

const permitted = ({ docker }: PolicyRules): readonly string[] =>
  Object.entries(docker)
    .flatMap(([scope, requirements]) => (verdictOf(listOf(requirements)) === "reject" ? [] : [scope]))
    .sort(byCodeUnit);

function effectOf(before: Verdict, after: Verdict): PolicyChange["effect"] {
  if (ranks[before] === ranks[after]) return "other";
  return ranks[after] < ranks[before] ? "weaker" : "stricter";
}

function changeOf(
  { before, after }: Pair,
  {
    path,
    scope,
    rules,
  }: Readonly<{
    path: string;
    scope: string | null;
    rules: Readonly<{ before: PolicyRules; after: PolicyRules }>;
  }>,
): PolicyChange {
  const [was, is] = [verdictOf(before), verdictOf(after)];
  const ofSide = (verdict: Verdict, side: PolicyRules) =>
    verdictText(verdict, scope === null ? permitted(side) : []);
  const isWhole =
    scope === null && (was === "reject" || is === "reject" || Object.keys(rules.after.docker).length === 0);
  const subject = scope === null ? (isWhole ? "all registries" : "all other registries") : scope;
  const namespace = namespaceOfPolicyPath(path);
  const where = namespace === undefined ? "" : sentence` in namespace ${namespace}`;
  const text =
    was === is
      ? sentence`${subject}${where}: other signatures are required than before`
      : sentence`${subject}${where}: ${ofSide(is, rules.after)}; before ${ofSide(was, rules.before)}`;
  return { path, scope, before: was, after: is, effect: effectOf(was, is), text };
}

function changesOfPolicy(path: string, before: PolicyRules, after: PolicyRules): readonly PolicyChange[] {
  const pairOf = (scopes: readonly string[]): Pair => ({
    before: requirementsOf(before, scopes),
    after: requirementsOf(after, scopes),
  });
  const rules = { before, after };
  const whole = pairOf([""]);
  const ofDefault = isSameJson(whole.before, whole.after)
    ? []
    : [changeOf(whole, { path, scope: null, rules })];
  const scopes = [...new Set([before, after].flatMap(({ docker }) => Object.keys(docker)))];
  const ofScopes = scopes
    .filter((scope) => scope !== "")
    .sort(byCodeUnit)
    .flatMap((scope) => {
      const own = pairOf([scope, ...around(scope)]);
      const isSame = isSameJson(own.before, own.after) || isSamePair(own, pairOf(around(scope)));
      return isSame ? [] : [changeOf(own, { path, scope, rules })];
    });
  return [...ofDefault, ...ofScopes];
}

/** Returns the changes of signature policies. A policy that is invalid on one side has no changes. */
export function policyChanges(
  before: readonly NodeFile[],
  after: readonly NodeFile[],
): readonly PolicyChange[] {
  const contents = (files: readonly NodeFile[]) =>
    new Map(files.map(({ path, contents: text }) => [path, text]));
  const old = contents(before);
  const now = contents(after);
  const isOfNamespace = (path: string) => namespaceOfPolicyPath(path) !== undefined;
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter(isOfNamespace).sort(byCodeUnit);
  const rulesIn = (files: ReadonlyMap<string, string>) => {
    const read = (path: string) => {
      const text = files.get(path);
      return text === undefined ? undefined : { rules: readPolicyRules(text) };
    };
    const ofCluster = read(nodePaths.policy) ?? { rules: everything };
    // A namespace without its own policy uses the policy of the cluster.
    return (path: string) => (path === nodePaths.policy ? ofCluster : (read(path) ?? ofCluster)).rules;
  };
  const rulesBefore = rulesIn(old);
  const rulesAfter = rulesIn(now);
  const changesOf = (path: string): readonly PolicyChange[] => {
    const was = rulesBefore(path);
    const is = rulesAfter(path);
    return "problem" in was || "problem" in is ? [] : changesOfPolicy(path, was, is);
  };
  const ofCluster = changesOf(nodePaths.policy);
  const isOwn = (change: PolicyChange) =>
    !ofCluster.some(
      ({ scope, before: was, after: is }) =>
        scope === change.scope && was === change.before && is === change.after,
    );
  return [...ofCluster, ...paths.flatMap((path) => changesOf(path).filter(isOwn))];
}

function entryFor(entries: readonly RegistryEntry[], scope: string): RegistryEntry | undefined {
  return entries
    .filter((entry) => scopeOf(entry) === scope || isNested(scope, scopeOf(entry)))
    .toSorted((a, b) => scopeOf(b).length - scopeOf(a).length)[0];
}

function textOf(scope: string, entry: RegistryEntry | undefined, isOpen: boolean): string {
  const [most, least] =
    (entry?.mirrors.length ?? 0) > 0
      ? ["the source may be contacted", "only the mirrors may be"]
      : ["images may be pulled", "none may be pulled"];
  return isOpen ? sentence`${scope}: ${most}; before ${least}` : sentence`${scope}: ${least}; before ${most}`;
}

/** Returns a change for each scope that registries.conf blocks on one side only; none if a side is unreadable. */
export function blockChanges(
  before: readonly NodeFile[],
  after: readonly NodeFile[],
): readonly PolicyChange[] {
  const [old, now] = [tryLoadRegistries(before), tryLoadRegistries(after)];
  if ("problem" in old || "problem" in now) return [];
  const blocked = [...old.entries, ...now.entries].filter((entry) => entry.blocked === true).map(scopeOf);
  return [...new Set(blocked)].sort(byCodeUnit).flatMap((scope): PolicyChange[] => {
    const [was, is] = [entryFor(old.entries, scope), entryFor(now.entries, scope)];
    const isOpen = is?.blocked !== true;
    if ((was?.blocked !== true) === isOpen) return [];
    const [first, last, effect] = isOpen
      ? (["reject", "accept", "weaker"] as const)
      : (["accept", "reject", "stricter"] as const);
    const text = textOf(scope, isOpen ? was : is, isOpen);
    return [{ path: nodePaths.registriesConf, scope, before: first, after: last, effect, text }];
  });
}

/**
 * Returns the changes of signature policies and of blocks in registries.conf. The change of a block is left out if the
 * signature policy of the same scope changes with the same effect.
 */
export function pullChanges(
  before: readonly NodeFile[],
  after: readonly NodeFile[],
): readonly PolicyChange[] {
  const signed = policyChanges(before, after);
  const blocks = blockChanges(before, after).filter(
    ({ scope, effect }) => !signed.some((one) => one.scope === scope && one.effect === effect),
  );
  return [...signed, ...blocks];
}
