/** One document of a YAML stream, with its `---` line. `line` is the number of its first line, from 1. */
export type YamlChunk = Readonly<{ text: string; offset: number; line: number }>;

const documentStart = /^---(?=[ \t\r\n]|$)/gm;
const onlyCommentsAndMarkers = /^(?:---|\.\.\.)?[ \t]*(?:#.*)?$|^%.*$/;

function isEmpty(text: string): boolean {
  return text
    .split(/\r?\n/)
    .every((line) => onlyCommentsAndMarkers.test(line.trimEnd()) || line.trim() === "");
}

/**
 * Splits a stream at its `---` lines before parsing, as kubectl does, so that an invalid document affects no other. The
 * joined chunks equal the text. `isEmpty` is true for a document without content.
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

/** A piece of a text and the number of its first line, from 1. */
export type YamlPiece = Readonly<{ text: string; line: number }>;

/** The text of a Kubernetes list without its items (`header`), and for each item, a YAML sequence of only this item. */
type SplitList = Readonly<{ header: string; items: readonly YamlPiece[] }>;

const itemsKey = /^items:[ \t]*\r?$/m;
const topLevel = /^[^\s#-]/;
const blankOrComment = /^\s*(?:#.*)?$/;
const documentMarker = /^(?:---|\.\.\.)(?:\s|$)|^%/;

/**
 * Splits a Kubernetes list into its items, as parsing them one by one takes less memory. Returns undefined for any
 * other document, and if it is unclear to which item a line belongs. Pieces of an invalid document may be invalid.
 */
export function splitYamlList(text: string): SplitList | undefined {
  const key = itemsKey.exec(text);
  if (!key) return undefined;
  const start = text.indexOf("\n", key.index) + 1;
  if (start === 0) return undefined;
  let line = text.slice(0, start).split("\n").length;
  let indent: string | undefined;
  let first = { at: start, line };
  let end = text.length;
  const items: YamlPiece[] = [];
  for (let at = start; at < text.length; line++) {
    const newLine = text.indexOf("\n", at);
    const next = newLine < 0 ? text.length : newLine + 1;
    const content = text.slice(at, next);
    const dash = /^( *)-(?=\s|$)/.exec(content)?.[1];
    if (documentMarker.test(content)) return undefined;
    if (indent === undefined) {
      if (dash !== undefined) indent = dash;
      else if (!blankOrComment.test(content)) return undefined;
      first = { at, line };
    } else if (dash === indent) {
      items.push({ text: text.slice(first.at, at), line: first.line });
      first = { at, line };
    } else if (topLevel.test(content)) {
      end = at;
      break;
    } else if (!blankOrComment.test(content) && !content.startsWith(`${indent} `)) return undefined;
    at = next;
  }
  if (indent === undefined) return undefined;
  items.push({ text: text.slice(first.at, end), line: first.line });
  return { header: `${text.slice(0, key.index)}items: []\n${text.slice(end)}`, items };
}
