import { splitReference } from "../../images/image-reference.ts";
import { isNested, isWildcard } from "../../images/scope.ts";
import {
  type NodeFile,
  namespacePolicyPath,
  nodePaths,
  textFile,
} from "../../openshift/machine-config/node-file.ts";
import { type OperatorForm, ownForm } from "../../openshift/releases/machine-config-operator.ts";
import { EntryLookup, pullSources } from "../pull/pull-sources.ts";
import { loadEntries } from "../registries-conf/load-failure.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";
import type { PolicyPlan } from "./plan-policies.ts";
import type { UnusableScope } from "./policy-issues.ts";
import {
  acceptAnything,
  addRequirements,
  encodePolicy,
  policyTemplate,
  type Requirement,
  type SignaturePolicy,
  withRequirements,
} from "./policy-json.ts";

function numberAt(text: string, start: number, lead: bigint): Readonly<{ value: bigint; end: number }> {
  let value = lead;
  let end = start;
  for (; /[0-9]/.test(text.charAt(end)); end++) {
    value = BigInt.asIntN(64, value * 10n + BigInt(text.charAt(end)));
  }
  return { value, end };
}

function followsNumber(text: string, at: number): boolean {
  for (let i = at - 1; i >= 0 && /[0-9]/.test(text.charAt(i)); i--) if (text.charAt(i) !== "0") return true;
  return false;
}

/** Compares keys as Go's yaml.v2 does: letters sort after all other characters, runs of digits sort by their number. */
export function byYamlKey(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charAt(at) === b.charAt(at)) at++;
  if (at === a.length || at === b.length) return a.length - b.length;
  const [left, right] = [a.charAt(at), b.charAt(at)];
  const isLetter = (character: string): boolean => /\p{L}/u.test(character);
  if (isLetter(left) !== isLetter(right)) return isLetter(left) ? 1 : -1;
  if (!isLetter(left)) {
    const lead = (left === "0" || right === "0") && followsNumber(a, at) ? 1n : 0n;
    const [ofA, ofB] = [numberAt(a, at, lead), numberAt(b, at, lead)];
    if (ofA.value !== ofB.value) return ofA.value < ofB.value ? -1 : 1;
    if (ofA.end !== ofB.end) return ofA.end - ofB.end;
  }
  return left < right ? -1 : 1;
}

/** Matches numbers of base 60 in YAML 1.1, such as the host `1:30`. */
const base60 = /^[0-9][0-9_]*:[0-5]?[0-9]$/;
const float = /^[0-9]+\.[0-9]*(?:[eE]-?[0-9]+)?$/;
/** The maximum length of a key on the line of its value; a longer key is on a line of its own, after `?`. */
const maxKeyLength = 128;

/** Reports whether YAML reads a scope as a number that fits into a float. */
function isNumber(scope: string): boolean {
  const plain = scope.replaceAll("_", "");
  return base60.test(scope) || (float.test(plain) && Number.isFinite(Number(plain)));
}

function quoted(scope: string): string {
  if (scope.startsWith("*")) return `'${scope}'`;
  return isNumber(scope) ? `"${scope}"` : scope;
}

/**
 * Renders the file that makes the container runtime look for sigstore signatures of images in these scopes, byte for
 * byte as machine-config-operator's library writes it.
 */
export function encodeSigstoreRegistries(scopes: Iterable<string>): string {
  const entries = [...new Set(scopes)]
    .sort(byYamlKey)
    .map((scope) =>
      scope.length > maxKeyLength
        ? `  ? ${quoted(scope)}\n  : use-sigstore-attachments: true\n`
        : `  ${quoted(scope)}:\n    use-sigstore-attachments: true\n`,
    );
  return `docker:\n${entries.join("")}`;
}

const digest = `sha256:${"a".repeat(64)}`;

function sampleOf(scope: string): Readonly<{ repository: string; isInvented: boolean }> {
  const host = isWildcard(scope) ? `matched${scope.slice(1)}` : scope;
  if (!host.includes("/")) return { repository: `${host}/a`, isInvented: true };
  return { repository: splitReference(host).name, isInvented: false };
}

type Found = Readonly<{
  locations: readonly string[];
  unusable: readonly string[];
}>;

function locationsOf(scope: string, entry: RegistryEntry | undefined): Found {
  if (!entry) return { locations: [], unusable: [] };
  const { repository, isInvented } = sampleOf(scope);
  const sources = [{ digest }, { tag: "aaa" }].flatMap((version) =>
    pullSources(entry, { repository, ...version }),
  );
  const locations: string[] = [];
  const unusable: string[] = [];
  for (const { mirror, reference, location } of sources) {
    // A wildcard has no location of its own and is skipped: the result has the policy's scope anyway.
    if ((mirror ?? entry).location === "") continue;
    if (!reference) unusable.push(location);
    else locations.push(isInvented ? reference.repository.replace(/\/a$/, "") : reference.repository);
  }
  return { locations, unusable };
}

/** Returns the scopes that need a signature lookup: the policies' scopes, and locations of images in these scopes. */
export function attachmentScopes(
  policyScopes: readonly string[],
  entries: readonly RegistryEntry[] = [],
): Readonly<{ scopes: readonly string[]; unusable: readonly UnusableScope[] }> {
  const loaded = loadEntries(entries);
  const scopes = [...policyScopes];
  const unusable: UnusableScope[] = [];
  const lookup = new EntryLookup(loaded);
  for (const policyScope of policyScopes) {
    const inside = loaded.map(scopeOf).filter((scope) => isNested(scope, policyScope));
    for (const scope of new Set([policyScope, ...inside])) {
      const found = locationsOf(scope, lookup.find(scope));
      for (const location of found.locations) scopes.push(location);
      for (const location of found.unusable) unusable.push({ policyScope, scope, location });
    }
  }
  return { scopes, unusable };
}

const templatePolicy: SignaturePolicy = { default: acceptAnything, scopes: new Map() };

function namespaceFiles(plan: PolicyPlan, indent: string): readonly NodeFile[] {
  const byNamespace = new Map<string, Map<string, readonly Requirement[]>>();
  for (const { policy, at, requirement } of plan.namespaced) {
    const namespace = policy.object.metadata.namespace ?? "";
    const own = byNamespace.get(namespace) ?? new Map<string, readonly Requirement[]>();
    addRequirements(own, at.scope, [requirement]);
    byNamespace.set(namespace, own);
  }
  return [...byNamespace].map(([namespace, own]) => {
    const policy = withRequirements(plan.clusterWide ?? templatePolicy, own);
    return textFile(namespacePolicyPath(namespace), encodePolicy(policy, plan.isAtomicScope, indent));
  });
}

/**
 * Returns the files of signature policies in the order of the MachineConfig. `entries` is undefined if nodes have the
 * template's registries.conf.
 */
export function renderPolicyFiles(
  plan: PolicyPlan,
  entries: readonly RegistryEntry[] | undefined,
  { policyIndent, namespaceIndent, namesMirrorsOfScopes }: OperatorForm = ownForm,
): Readonly<{ files: readonly NodeFile[]; unusable: readonly UnusableScope[] }> {
  const policy = plan.clusterWide
    ? encodePolicy(plan.clusterWide, plan.isAtomicScope, policyIndent)
    : policyTemplate;
  const policyFile = textFile(nodePaths.policy, policy);
  const ofNamespaces = namespaceFiles(plan, namespaceIndent ?? "");
  if (plan.policyScopes.length === 0) return { files: [policyFile, ...ofNamespaces], unusable: [] };
  const { scopes, unusable } = attachmentScopes(
    plan.policyScopes,
    namesMirrorsOfScopes ? entries : undefined,
  );
  const sigstore = textFile(nodePaths.sigstoreRegistries, encodeSigstoreRegistries(scopes));
  return { files: [policyFile, sigstore, ...ofNamespaces], unusable };
}
