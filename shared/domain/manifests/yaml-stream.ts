/** One document of a YAML stream, as text: where it stands and what it says, its `---` line included. */
export type YamlChunk = Readonly<{ text: string; offset: number; line: number }>;

const documentStart = /^---(?=[ \t\r\n]|$)/gm;
const onlyCommentsAndMarkers = /^(?:---|\.\.\.)?[ \t]*(?:#.*)?$|^%.*$/;

function isEmpty(text: string): boolean {
  return text
    .split(/\r?\n/)
    .every((line) => onlyCommentsAndMarkers.test(line.trimEnd()) || line.trim() === "");
}

/**
 * Splits a stream at its `---` lines, as kubectl does before it parses anything: a document that is broken
 * then cannot take its neighbours with it. The chunks joined give the text again; `isEmpty` tells those that
 * hold comments, directives and blank lines only.
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
