import {
  type BindingElement,
  isBinaryExpression,
  isBindingElement,
  isCallExpression,
  isComputedPropertyName,
  isElementAccessExpression,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import { isOwnName, type Rule } from "./find-in-code.ts";

/** Calls that read or write properties by name, inherited ones among them, or hide the type of what they return. */
const refusedCalls: ReadonlySet<string> = new Set([
  "Object",
  "Object.assign",
  "Reflect.get",
  "Reflect.has",
  "Reflect.set",
]);

/** `const { [name]: _dropped, ...others }` copies the other fields, and reads nothing by the name. */
function isDropped({ name }: BindingElement, textOf: (node: Node) => string): boolean {
  return name !== undefined && textOf(name).startsWith("_");
}

/** Refuses to index an object by a name that the code does not choose, and so may meet what every object inherits. */
export const outsideNames: Rule = (node, checker, textOf) => {
  if (isElementAccessExpression(node))
    return isOwnName(checker.getTypeAtLocation(node.argumentExpression)) ? undefined : "index";
  if (isComputedPropertyName(node) && isBindingElement(node.parent) && !isDropped(node.parent, textOf))
    return isOwnName(checker.getTypeAtLocation(node.expression)) ? undefined : "index";
  if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword)
    return isOwnName(checker.getTypeAtLocation(node.left)) ? undefined : "in";
  if (!isCallExpression(node)) return undefined;
  const called = textOf(node.expression);
  return refusedCalls.has(called) ? `${called}()` : undefined;
};
