import { CST, Lexer, Parser } from "yaml";
import { maxDepth, YamlValueError } from "./yaml-value.ts";

/** Around a value as deep as is allowed stand its document and the collections that it lies in. */
const maxOpen = maxDepth + 2;

/** What is no token, or stands where it cannot: the library would go on and tell each of a million. */
function checked(token: CST.Token): CST.Token {
  if (token.type !== "error") return token;
  const found = token.source ? `: ${JSON.stringify(token.source)}` : "";
  throw new YamlValueError(token.message + found, token.offset);
}

/**
 * The tokens of a text, up to the first that cannot be read or is nested too deeply; then it throws a
 * `YamlValueError`. Whatever comes after that would only cost time. `onNewLine` is told where each line begins.
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
    // The same character after the mark of a scalar is that scalar's text.
    if (lexeme === CST.FLOW_END && before !== CST.SCALAR) {
      flowEndsEarlyAt = parser.offset;
      break;
    }
    before = lexeme;
  }
  for (const token of parser.end()) yield checked(token);
  // The document that was cut off there is refused for its open collection, with the library's words.
  if (flowEndsEarlyAt !== undefined)
    throw new YamlValueError("A flow collection is not closed", flowEndsEarlyAt);
}
