import { isTaggedTemplateExpression, isTemplateExpression } from "typescript/unstable/ast";
import { isOwnName, type Rule } from "./find-in-code.ts";

/** Words, and not only the marks between parts of a name or a key. */
const words = /[a-z]{2,}[,;:.]? | [a-z]{2,}/i;

/** Refuses words with a text in them that the code does not choose, unless a tag removes credentials from that text. */
export const plainSentences: Rule = (node, checker) => {
  if (!isTemplateExpression(node) || isTaggedTemplateExpression(node.parent)) return undefined;
  const literals = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  const isFromOutside = node.templateSpans.some(
    ({ expression }) => !isOwnName(checker.getTypeAtLocation(expression)),
  );
  return isFromOutside && literals.some((literal) => words.test(literal)) ? "no tag" : undefined;
};
