import { byCodeUnit } from "../../kubernetes/json/values.ts";
import {
  type RegistriesConf,
  type RegistryEntry,
  scopeOf,
} from "../../mirrors/registries-conf/registries-conf.ts";
import { nodePaths } from "../../openshift/machine-config/node-file.ts";
import type { CostRule } from "../../plan/cost.ts";
import { sentence } from "../../text/redact.ts";
import { type Change, changeKind, type Verdict } from "./change.ts";
import { compareEntries, entryRemoved, type Finding, findAddedEntry, safe, unsafe } from "./entry-change.ts";

/** One scope of registries.conf that differs, with its findings, the deciding one first. */
type ScopeChange = Readonly<{
  scope: string;
  before: RegistryEntry | undefined;
  after: RegistryEntry | undefined;
  findings: readonly [Finding, ...Finding[]];
}>;

/** The search registries for short names, when they differ. */
type SearchListChange = Readonly<{
  before: readonly string[];
  after: readonly string[];
  finding: Finding;
}>;

export type RegistriesChange = Readonly<{
  searchList: SearchListChange | undefined;
  /** Sorted by scope. */
  scopes: readonly ScopeChange[];
}>;

/** Returns entries by scope; the daemon uses the last of two with the same one. */
function byScope(entries: readonly RegistryEntry[]): ReadonlyMap<string, RegistryEntry> {
  return new Map(entries.map((entry) => [scopeOf(entry), entry]));
}

function compareSearchLists(
  before: readonly string[] = [],
  after: readonly string[] = [],
): SearchListChange | undefined {
  const isPrefix = before.every((registry, index) => after[index] === registry);
  if (isPrefix && before.length === after.length) return undefined;
  const finding = isPrefix
    ? safe("search-registries-appended", "Registries are appended to the search list.")
    : unsafe(
        "search-registries-changed",
        "A registry of the search list is removed, moved, or has a new one before it.",
      );
  return { before, after, finding };
}

/** Compares two registries.conf files as the node's daemon does: bytes and order are ignored. */
export function compareRegistries(before: RegistriesConf, after: RegistriesConf): RegistriesChange {
  const old = byScope(before.entries);
  const now = byScope(after.entries);
  const scopes = [...new Set([...old.keys(), ...now.keys()])].sort(byCodeUnit);
  return {
    searchList: compareSearchLists(before.unqualifiedSearchRegistries, after.unqualifiedSearchRegistries),
    scopes: scopes.flatMap((scope): ScopeChange[] => {
      const entries = { before: old.get(scope), after: now.get(scope) };
      const [first, ...rest] = findingsOf(entries);
      return first ? [{ scope, ...entries, findings: [first, ...rest] }] : [];
    }),
  };
}

function findingsOf({ before, after }: Pick<ScopeChange, "before" | "after">): readonly Finding[] {
  if (before && after) return compareEntries(before, after);
  return after ? [findAddedEntry(after)] : [entryRemoved];
}

/** Reports whether no part of the change makes the node's daemon drain. */
export function isSafeChange({ searchList, scopes }: RegistriesChange): boolean {
  return searchList?.finding.isSafe !== false && scopes.every(({ findings: [first] }) => first.isSafe);
}

function unsafeParts({ searchList, scopes }: RegistriesChange): readonly string[] {
  const search = searchList && !searchList.finding.isSafe ? [searchList.finding.text] : [];
  const entries = scopes.flatMap(({ scope, findings: [first] }) =>
    first.isSafe ? [] : [`${scope}: ${first.text}`],
  );
  return [...search, ...entries];
}

/**
 * Returns the rule of the whole file, where its policy leaves the decision to the content of the change. `undrained` is
 * why an unsafe change does not drain.
 */
export function registriesRule(change: RegistriesChange, undrained: CostRule | undefined): CostRule {
  const [first, ...others] = unsafeParts(change);
  if (first !== undefined) {
    const more = others.length > 0 ? ` And ${others.length} more.` : "";
    const text = sentence`Unsafe for running containers. ${first}${more}`;
    return undrained
      ? { code: undrained.code, text: `${text} ${undrained.text}` }
      : { code: "registries-conf-unsafe", text };
  }
  return change.searchList || change.scopes.length > 0
    ? { code: "registries-conf-safe", text: "None of its changes affects running containers." }
    : {
        code: "registries-conf-same",
        text: "Its text differs, but not its content; crio reloads it.",
      };
}

function verdictOf(findings: readonly [Finding, ...Finding[]], undrained: CostRule | undefined): Verdict {
  const [{ isSafe, code }] = findings;
  const text = findings.map((finding) => finding.text).join(" ");
  if (isSafe) return { cost: "reload", rule: { code, text } };
  return undrained
    ? { cost: "reload", rule: { code: undrained.code, text: `${text} ${undrained.text}` } }
    : { cost: "drain", rule: { code, text } };
}

/**
 * Returns the changed parts of registries.conf, or of the drop-in `file`, each with its own verdict, or with `whole` where a policy decides
 * independently of the content.
 */
export function registriesParts(
  { searchList, scopes }: RegistriesChange,
  {
    whole,
    undrained,
    file,
  }: Readonly<{ whole: Verdict | undefined; undrained: CostRule | undefined; file?: string }>,
): readonly Change[] {
  const search: readonly Change[] = searchList
    ? [
        {
          path: `${nodePaths.registriesConf}#unqualified-search-registries`,
          kind: "changed",
          before: searchList.before,
          after: searchList.after,
          ...(whole ?? verdictOf([searchList.finding], undrained)),
        },
      ]
    : [];
  const entries = scopes.map(
    ({ scope, before, after, findings }): Change => ({
      scope,
      ...(file === undefined ? {} : { file }),
      kind: changeKind(before, after),
      before: before ?? null,
      after: after ?? null,
      ...(whole ?? verdictOf(findings, undrained)),
    }),
  );
  return [...search, ...entries];
}
