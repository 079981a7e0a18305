import { CST, Lexer, Parser } from "yaml";
import { maxDepth, YamlValueError } from "./yaml-value.ts";

/** A value at the maximum depth is inside the document and a collection for each level. */
const maxOpen = maxDepth + 2;

/** Stops at the first invalid token: the library would report each of a million. */
function checked(token: CST.Token): CST.Token {
  if (token.type !== "error") return token;
  const found = token.source ? `: ${JSON.stringify(token.source)}` : "";
  throw new YamlValueError(token.message + found, token.offset);
}

/**
 * Yields the tokens of a text. Throws a `YamlValueError` at the first one that is invalid or nested too deeply,
 * without reading the rest. Calls `onNewLine` with the offset of each line.
 */
export function* readTokens(text: string, onNewLine: (offset: number) => void): Generator<CST.Token> {
  const parser = new Parser(onNewLine);
  onNewLine(0);
  let flowEndsEarlyAt: number | undefined;
  let before = "";
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) yield checked(token);
    if (parser.stack.length > maxOpen) {
      throw new YamlValueError("The content is nested too deeply", parser.stack.at(-1)?.offset ?? 0);
    }
    // The same character after a scalar's mark is the scalar's text.
    if (lexeme === CST.FLOW_END && before !== CST.SCALAR) {
      flowEndsEarlyAt = parser.offset;
      break;
    }
    before = lexeme;
  }
  for (const token of parser.end()) yield checked(token);
  // The parser refuses the truncated document for its open collection, with the library's message.
  if (flowEndsEarlyAt !== undefined)
    throw new YamlValueError("A flow collection is not closed", flowEndsEarlyAt);
}
