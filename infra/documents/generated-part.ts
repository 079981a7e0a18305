const marks = {
  start: "<!-- From here on made by `npm run docs`. -->",
  end: "<!-- Until here made by `npm run docs`. -->",
} as const;

/** Returns a page of the documentation with another text between the two lines that mark its generated part. */
export function withGeneratedPart(page: string, generated: string): string {
  const start = page.indexOf(marks.start);
  const end = page.indexOf(marks.end);
  if (start < 0 || end < start) throw new Error(`the page lacks the lines ${marks.start} and ${marks.end}`);
  return `${page.slice(0, start + marks.start.length)}\n\n${generated}\n\n${page.slice(end)}`;
}

/** Returns a table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
