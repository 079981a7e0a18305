import { fileIssue } from "../issues/file-issues.ts";
import type { Issue } from "../issues/issue.ts";

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

function emptyDocument(file: string, line: number, message: string): Issue {
  return fileIssue(file, { line, column: 1 }, "", {
    code: "EmptyDocument",
    message,
    remedy: "Add a manifest, or remove the document and its --- line.",
  });
}

/**
 * Returns an error for every document of a stream that is empty or has only comments: often its content got lost.
 * Comments before the first `---` and a closing `---` are not a document.
 */
export function emptyDocuments(text: string, file: string): readonly Issue[] {
  const documents = splitYamlStream(text.replace(/^\uFEFF/, ""));
  if (documents.every(({ isEmpty }) => isEmpty)) {
    const what = text.trim() === "" ? "is empty" : "has only comments";
    return [emptyDocument(file, 1, `${file} ${what}`)];
  }
  return documents.flatMap((document, index) => {
    const isComment = index === 0 && !document.text.startsWith("---");
    const isClosing = index === documents.length - 1 && /^---\s*$/.test(document.text);
    if (!document.isEmpty || isComment || isClosing) return [];
    return [emptyDocument(file, document.line, "The document is empty or has only comments")];
  });
}
