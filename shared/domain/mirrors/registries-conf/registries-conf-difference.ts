import { sentence } from "../../text/redact.ts";

type Lines = readonly string[];

function tablesOf(text: string): ReadonlyMap<string, Lines> {
  const tables = text.split(/\n(?=\[\[registry\]\]\n|\[aliases\]\n)/).map((table, index) => {
    const lines = table.split("\n").filter((line) => line !== "");
    const [, prefix = "", location = ""] =
      /^ {2}prefix = (".*")(?:\n {2}location = (".*"))?/m.exec(table) ?? [];
    const scope = prefix === '""' || prefix === "" ? location : prefix;
    return [index === 0 ? "the top level" : scope || "[aliases]", lines] as const;
  });
  return new Map(tables);
}

function differingLines(before: Lines, after: Lines): Lines {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let end = 0;
  const max = Math.min(before.length, after.length) - start;
  while (end < max && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return [
    ...before.slice(start, before.length - end).map((line) => sentence`- ${line}`),
    ...after.slice(start, after.length - end).map((line) => sentence`+ ${line}`),
  ];
}

/** Returns the lines in which two texts of registries.conf differ, grouped by table; empty for equal texts. */
export function registriesConfDifference(before: string, after: string): Lines {
  if (before === after) return [];
  const old = tablesOf(before);
  const now = tablesOf(after);
  const scopes = new Set([...old.keys(), ...now.keys()]);
  const found = [...scopes].flatMap((scope) => {
    const lines = differingLines(old.get(scope) ?? [], now.get(scope) ?? []);
    return lines.length === 0 ? [] : [`${scope}:`, ...lines];
  });
  return found.length > 0 ? found : ["the same tables in another order"];
}
