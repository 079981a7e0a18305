const action = /\{\{-?\s*([^}]*?)\s*-?\}\}/g;

/**
 * Renders a manifest that is a Go text/template, with the values that it names as `.Name`. Blocks (`if`, `range`) are
 * left out: in the manifests here these are labels and annotations that are never set.
 */
export function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  let depth = 0;
  const lines: string[] = [];
  for (const line of template.split("\n")) {
    const words = [...line.matchAll(action)].map(([, text = ""]) => text.split(" ")[0] ?? "");
    const opened = words.filter((word) => word === "if" || word === "range").length;
    const closed = words.filter((word) => word === "end").length;
    if (words.includes("else")) throw new Error(`a block with two sides cannot be left out: ${line}`);
    if (depth === 0 && opened === 0) lines.push(line);
    depth += opened - closed;
  }
  return lines.join("\n").replace(action, (_, name: string) => {
    const value = values[name.replace(/^\./, "")];
    if (value === undefined) throw new Error(`the template needs ${name}`);
    return value;
  });
}
