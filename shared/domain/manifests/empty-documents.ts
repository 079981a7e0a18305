import type { Issue } from "../issues/issue.ts";
import { splitYamlStream } from "./yaml-stream.ts";

function emptyDocument(file: string, line: number, message: string): Issue {
  return {
    code: "EmptyDocument",
    severity: "error",
    object: { kind: "File", name: file },
    path: `${line}:1`,
    value: "",
    message,
    remedy: "Add a manifest, or remove the document and its --- line.",
  };
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
    const line = document.line;
    return [emptyDocument(file, line, `${file}, line ${line}: the document is empty or has only comments`)];
  });
}
