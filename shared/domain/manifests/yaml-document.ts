import {
  Composer,
  CST,
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  Schema,
} from "yaml";
import { maxNesting } from "../kubernetes/json/nesting.ts";
import { kubectlSchema, type YamlOptions, YamlValueError, yamlValue } from "./yaml-value.ts";

/** The maximum size of the parser's stack: the document, one collection for each level, and the value. */
const maxOpen = maxNesting + 2;

/** Messages by error code. The library's own messages quote the text, which may be part of a private key. */
const quotes: ReadonlyMap<string, string> = new Map([
  ["TAG_RESOLVE_FAILED", "The tag cannot be resolved"],
  ["BAD_DQ_ESCAPE", "Invalid escape sequence"],
]);

const withoutSource = (message: string): string => message.replace(/(?<! ): .*$/s, "");

/** Throws at the first invalid token: the library might go on to report a million of them. */
function checkedToken(token: CST.Token): CST.Token {
  if (token.type !== "error") return token;
  throw new YamlValueError(withoutSource(token.message), token.offset);
}

function* readTokens(text: string, onNewLine: (offset: number) => void): Generator<CST.Token> {
  const parser = new Parser(onNewLine);
  onNewLine(0);
  let flowEndsEarlyAt: number | undefined;
  let before = "";
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) yield checkedToken(token);
    if (parser.stack.length > maxOpen) {
      throw new YamlValueError("The content is nested too deeply", parser.stack.at(-1)?.offset ?? 0);
    }
    // After the lexeme `SCALAR`, a `FLOW_END` is the text of a scalar, not the end of a flow.
    if (lexeme === CST.FLOW_END && before !== CST.SCALAR) {
      flowEndsEarlyAt = parser.offset;
      break;
    }
    before = lexeme;
  }
  for (const token of parser.end()) yield checkedToken(token);
  // Usually the loop above has thrown already: the parser refuses the open collection, with the library's message.
  if (flowEndsEarlyAt !== undefined)
    throw new YamlValueError("A flow collection is not closed", flowEndsEarlyAt);
}

/** The path of a node from the document's root: `["items", 0, "metadata"]`. */
export type YamlPath = readonly (string | number)[];

/** A place in a text. `line` and `column` count from 1. */
export type Position = Readonly<{ line: number; column: number }>;

/** Returns the position that is `lines` lines further down. */
export const below = ({ line, column }: Position, lines: number): Position => ({
  line: line + lines,
  column,
});

/** Returns the position of the field or list item at a path, or of its nearest existing ancestor. */
export type PositionOf = (path: YamlPath) => Position;

type YamlDocument = Readonly<{
  /** The content as JSON; null when the document is empty. */
  value: unknown;
  positionOf: PositionOf;
}>;

/** The error about an invalid YAML document; `line` and `column` count from 1 within the document's text. */
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

/** The schema of all documents. Without it, the library would create a schema for each document. */
const schema = new Schema({ ...kubectlSchema });

function checked(document: Document.Parsed): Document.Parsed {
  const [error] = document.errors;
  if (!error) return document;
  const { code, message, pos } = error;
  const problem = code === "RESOURCE_EXHAUSTION" ? "The content is nested too deeply" : quotes.get(code);
  throw new YamlValueError(problem ?? withoutSource(message), pos[0]);
}

function* documentsIn(text: string, lineCounter: LineCounter): Generator<Document.Parsed> {
  const composer = new Composer({ version: "1.2", schema, uniqueKeys: false, lineCounter });
  try {
    for (const token of readTokens(text, lineCounter.addNewLine)) yield* composer.next(token);
  } catch (error) {
    // Errors that come before the invalid token in the document are reported first.
    for (const document of composer.end()) checked(document);
    throw error;
  }
  yield* composer.end(true, text.length);
}

/** Turns off stack traces: the library may create an error for each character of a damaged file. */
function compose(text: string, lineCounter: LineCounter): Document.Parsed {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const [document, second] = documentsIn(text, lineCounter);
    if (!document) throw new YamlValueError("There is no document", 0);
    checked(document);
    if (second) throw new YamlValueError("A second document begins without a --- line", second.range[0]);
    return document;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Returns the line and column of an offset in a text. `lineCounter` must know the lines of the text. */
export function positionAt(offset: number, lineCounter: LineCounter): Position {
  const { line, col } = lineCounter.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function positionOf(root: ParsedNode | null, path: YamlPath, lineCounter: LineCounter): Position {
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
  return positionAt(offset, lineCounter);
}

/** Parses one YAML document as kubectl does. Throws a `YamlDocumentError` if the document is invalid. */
export function parseYamlDocument(text: string, options: YamlOptions = {}): YamlDocument {
  const lineCounter = new LineCounter();
  try {
    const { contents } = compose(text, lineCounter);
    return {
      value: yamlValue(contents, options),
      positionOf: (path) => positionOf(contents, path, lineCounter),
    };
  } catch (error) {
    if (!(error instanceof YamlValueError)) throw error;
    const { line, column } = positionAt(error.offset, lineCounter);
    throw new YamlDocumentError(error.message, line, column, { cause: error });
  }
}
