import { sentence } from "../../text/redact.ts";

type Lines = readonly string[];

/** Returns the lines of each table by its scope. The key of lines before the first table is `the top level`. */
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

/** Returns the lines from the first to the last difference, marked with - (from `before`) and + (from `after`). */
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

/**
 * Returns the differences between two texts of registries.conf, by table, as lines for people; empty for equal texts.
 * The time grows linearly with the size of the texts.
 */
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
