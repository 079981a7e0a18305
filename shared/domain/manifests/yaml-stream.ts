/** One document of a YAML stream: its text, `---` line included, and its position. */
export type YamlChunk = Readonly<{ text: string; offset: number; line: number }>;

const documentStart = /^---(?=[ \t\r\n]|$)/gm;
const onlyCommentsAndMarkers = /^(?:---|\.\.\.)?[ \t]*(?:#.*)?$|^%.*$/;

function isEmpty(text: string): boolean {
  return text
    .split(/\r?\n/)
    .every((line) => onlyCommentsAndMarkers.test(line.trimEnd()) || line.trim() === "");
}

/**
 * Splits a stream at its `---` lines, as kubectl does before it parses anything, so that an invalid document does
 * not affect its neighbours. The chunks joined give the text again; `isEmpty` marks those with only comments,
 * directives and blank lines.
 */
export function splitYamlStream(text: string): readonly (YamlChunk & { isEmpty: boolean })[] {
  const starts = [...text.matchAll(documentStart)].map(({ index }) => index);
  const bounds = [...new Set([0, ...starts])];
  let line = 1;
  return bounds.map((offset, position) => {
    const chunk = text.slice(offset, bounds[position + 1]);
    const first = line;
    line += chunk.split("\n").length - 1;
    return { text: chunk, offset, line: first, isEmpty: isEmpty(chunk) };
  });
}
