const marks = {
  start: /From \S+, by `npm run generate`:/,
  end: "Until here by `npm run generate`.",
} as const;

/**
 * Returns a file with other lines between the two comments that mark its generated part; they are indented like the
 * comments.
 */
export function withGeneratedBlock(path: string, text: string, generated: readonly string[]): string {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => marks.start.test(line));
  const end = lines.findIndex((line) => line.includes(marks.end));
  if (start < 0 || end < start)
    throw new Error(`${path} lacks the comments "${marks.start.source}" and "${marks.end}"`);
  const indent = lines[start]?.match(/^ */)?.[0];
  return [
    ...lines.slice(0, start + 1),
    ...generated.map((line) => `${indent}${line}`),
    ...lines.slice(end),
  ].join("\n");
}
