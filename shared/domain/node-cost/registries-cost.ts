import { sentence } from "../credentials/redact.ts";
import { nodePaths } from "../machine-config/node-file.ts";
import type { Change, Verdict } from "./change.ts";
import type { CostRule } from "./cost.ts";
import type { Finding } from "./entry-change.ts";
import { changeKind } from "./file-change.ts";
import type { RegistriesChange } from "./registries-change.ts";

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
