import { hash } from "node:crypto";
import { byCodeUnit } from "../../kubernetes/json/values.ts";
import {
  type RegistriesConf,
  type RegistryEntry,
  scopeOf,
} from "../../mirrors/registries-conf/registries-conf.ts";
import { type NodeFile, nodePaths } from "../../openshift/machine-config/node-file.ts";
import { type Cost, type CostRule, costRank } from "../../plan/cost.ts";
import { sentence } from "../../text/redact.ts";
import { compareEntries, entryRemoved, type Finding, findAddedEntry, safe, unsafe } from "./entry-change.ts";

/** A file counts as removed if its MachineConfig no longer writes it; the node's image may still provide it. */
type ChangeKind = "added" | "removed" | "changed";

/** A file that only one side has, or that differs between the sides. */
export type FileChange = Readonly<{
  path: string;
  kind: ChangeKind;
  before: NodeFile | undefined;
  after: NodeFile | undefined;
}>;

function changeKind(before: unknown, after: unknown): ChangeKind {
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "changed";
}

function isSameFile(a: NodeFile, b: NodeFile): boolean {
  return a.contents === b.contents && a.mode === b.mode;
}

/** Returns all files that differ, sorted by path. If a path is repeated on one side, its last file counts. */
export function compareFiles(before: readonly NodeFile[], after: readonly NodeFile[]): readonly FileChange[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const now = new Map(after.map((file) => [file.path, file]));
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort(byCodeUnit);
  return paths.flatMap((path): FileChange[] => {
    const was = old.get(path);
    const is = now.get(path);
    if (was && is && isSameFile(was, is)) return [];
    return [{ path, kind: changeKind(was, is), before: was, after: is }];
  });
}

type FileState = Readonly<{ bytes: number; mode: number; sha256: string }>;

/** Returns size, mode and digest of a file; null without a file. */
export function fileState(file: NodeFile | undefined): FileState | null {
  if (!file) return null;
  const sha256 = hash("sha256", file.contents);
  return { bytes: Buffer.byteLength(file.contents), mode: file.mode, sha256 };
}

/** The cost of a change for each node, and the rule that decides it. */
export type Verdict = Readonly<{ cost: Cost; rule: CostRule }>;

/** A file that is added, removed or changed, and the cost of this change. */
export type ChangedFile = Verdict &
  Readonly<{ path: string; kind: ChangeKind; before: FileState | null; after: FileState | null }>;

type ChangedScope = Verdict &
  Readonly<{
    scope: string;
    file?: string;
    kind: ChangeKind;
    before: RegistryEntry | null;
    after: RegistryEntry | null;
  }>;

/** The changed search registries. `path` is that of registries.conf with `#unqualified-search-registries`. */
type ChangedSearchList = Verdict &
  Readonly<{ path: string; kind: "changed"; before: readonly string[]; after: readonly string[] }>;

/** A changed file, scope or search list. */
export type Change = ChangedFile | ChangedScope | ChangedSearchList;

function compareNames(a: Change, b: Change): number {
  if ("path" in a) return "path" in b ? byCodeUnit(a.path, b.path) : -1;
  return "path" in b ? 1 : byCodeUnit(a.scope, b.scope);
}

/** Compares two changes for sorting: the highest cost first, then files before scopes, then by name. */
export function byCostThenName(a: Change, b: Change): number {
  return costRank(b.cost) - costRank(a.cost) || compareNames(a, b);
}

type ScopeChange = Readonly<{
  scope: string;
  before: RegistryEntry | undefined;
  after: RegistryEntry | undefined;
  findings: readonly [Finding, ...Finding[]];
}>;

type SearchListChange = Readonly<{
  before: readonly string[];
  after: readonly string[];
  finding: Finding;
}>;

export type RegistriesChange = Readonly<{
  searchList: SearchListChange | undefined;
  scopes: readonly ScopeChange[];
}>;

/** Returns the entries by scope. As in machine-config-daemon, the last entry of a scope counts. */
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

/** Compares the parsed content of two registries.conf files. The order of entries does not matter. */
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

/** Reports whether machine-config-daemon applies the change without a drain. */
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

/** Returns why the action `Special` has its cost. `undrained` is the reason why the cluster drains no nodes. */
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

/** Returns the changed scopes and search list. Each has the verdict `whole` or, if that is undefined, its own. */
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
