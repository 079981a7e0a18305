import { Composer, type Document, isMap, isScalar, isSeq, LineCounter, type ParsedNode, Schema } from "yaml";
import { kubectlSchema } from "./yaml-scalars.ts";
import { readTokens } from "./yaml-tokens.ts";
import { type YamlOptions, YamlValueError, yamlValue } from "./yaml-value.ts";

/** The path of a node from the document's root: `["items", 0, "metadata"]`. */
export type YamlPath = readonly (string | number)[];

export type YamlDocument = Readonly<{
  /** The content as JSON; null when the document is empty. */
  value: unknown;
  /** Returns the line, from 1, of the node at the path or of its nearest ancestor. */
  lineOf(path: YamlPath): number;
}>;

/** An invalid YAML document; `line` and `column` count from 1 within its text. */
export class YamlDocumentError extends Error {
  override readonly name = "YamlDocumentError";
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number, options?: ErrorOptions) {
    super(message, options);
    this.line = line;
    this.column = column;
  }
}

/** Created once: the library would create one for each document of a stream. */
const schema = new Schema({ ...kubectlSchema });

function offsetOf(source: unknown): number {
  const first: unknown = Array.isArray(source) ? source[0] : source;
  if (typeof first === "number") return first;
  const isToken = typeof first === "object" && first !== null && "offset" in first;
  return isToken && typeof first.offset === "number" ? first.offset : 0;
}

/**
 * Stops at the first error. The library has no option for that: it would create an error object for every character
 * of a damaged file, which takes seconds for a megabyte, and only one error is reported.
 */
function compose(text: string, lineCounter: LineCounter): Document.Parsed {
  const failures: YamlValueError[] = [];
  const composer = new Composer({ version: "1.2", schema, uniqueKeys: false, lineCounter });
  Reflect.set(composer, "onError", (source: unknown, code: string, message: string, isWarning?: boolean) => {
    if (isWarning) return;
    const failure = new YamlValueError(
      code === "RESOURCE_EXHAUSTION" ? "The content is nested too deeply" : message,
      offsetOf(source),
    );
    failures.push(failure); // collections catch what is thrown inside them: the first one is the cause
    throw failure;
  });
  try {
    const tokens = readTokens(text, lineCounter.addNewLine);
    const [document, second] = composer.compose(tokens, true, text.length);
    if (second) throw new YamlValueError("A second document begins without a --- line", second.range[0]);
    const error = document?.errors[0];
    if (error) throw new YamlValueError(error.message, error.pos[0]);
    if (document) return document;
    throw new YamlValueError("There is no document", 0);
  } catch (error) {
    throw failures[0] ?? error;
  }
}

function lineOf(root: ParsedNode | null, path: YamlPath, lineCounter: LineCounter): number {
  let node: unknown = root;
  let offset = root?.range[0] ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!pair) break;
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq<ParsedNode>(node) && typeof step === "number") {
      const item: ParsedNode | undefined = node.items[step];
      if (!item) break;
      offset = item.range[0];
      node = item;
    } else break;
  }
  return Math.max(1, lineCounter.linePos(offset).line);
}

/** Parses one YAML document as kubectl does. Throws a `YamlDocumentError` with position and reason. */
export function parseYamlDocument(text: string, options: YamlOptions = {}): YamlDocument {
  const lineCounter = new LineCounter();
  try {
    const { contents } = compose(text, lineCounter);
    return { value: yamlValue(contents, options), lineOf: (path) => lineOf(contents, path, lineCounter) };
  } catch (error) {
    if (!(error instanceof YamlValueError)) throw error;
    const { line, col } = lineCounter.linePos(error.offset);
    throw new YamlDocumentError(error.message, Math.max(1, line), Math.max(1, col), { cause: error });
  }
}
