import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type BindingElement,
  isBinaryExpression,
  isBindingElement,
  isCallExpression,
  isComputedPropertyName,
  isElementAccessExpression,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";
import { API, type Checker, type Project, type Type, TypeFlags } from "typescript/unstable/sync";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A place where a name from outside may meet what every object inherits. */
type Finding = Readonly<{ file: string; line: number; reason: string; text: string }>;

/** Calls that read or write properties by name, inherited ones among them, or hide the type of what they return. */
const refusedCalls: ReadonlySet<string> = new Set([
  "Object",
  "Object.assign",
  "Reflect.get",
  "Reflect.has",
  "Reflect.set",
]);

/** Reports whether the code itself names every value of the type: literals, numbers, symbols. */
function isOwnName(type: Type | undefined): boolean {
  if (!type) return false;
  if (type.isUnionType()) return type.getTypes()?.every(isOwnName) ?? false;
  return (type.flags & (TypeFlags.NumberLike | TypeFlags.StringLiteral | TypeFlags.ESSymbolLike)) !== 0;
}

/** `const { [name]: _dropped, ...others }` copies the other fields, and reads nothing by the name. */
function isDropped({ name }: BindingElement, textOf: (node: Node) => string): boolean {
  return name !== undefined && textOf(name).startsWith("_");
}

function reasonAgainst(node: Node, checker: Checker, textOf: (node: Node) => string): string | undefined {
  if (isElementAccessExpression(node))
    return isOwnName(checker.getTypeAtLocation(node.argumentExpression)) ? undefined : "index";
  if (isComputedPropertyName(node) && isBindingElement(node.parent) && !isDropped(node.parent, textOf))
    return isOwnName(checker.getTypeAtLocation(node.expression)) ? undefined : "index";
  if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword)
    return isOwnName(checker.getTypeAtLocation(node.left)) ? undefined : "in";
  if (!isCallExpression(node)) return undefined;
  const called = textOf(node.expression);
  return refusedCalls.has(called) ? `${called}()` : undefined;
}

function findingsIn(file: SourceFile, checker: Checker): readonly Finding[] {
  const findings: Finding[] = [];
  const textOf = (node: Node) => file.text.slice(node.getStart(file), node.end);
  const visit = (node: Node): void => {
    const reason = reasonAgainst(node, checker, textOf);
    if (reason) {
      const line = file.text.slice(0, node.getStart(file)).split("\n").length;
      findings.push({ file: relative(root, file.fileName), line, reason, text: textOf(node) });
    }
    node.forEachChild(visit);
  };
  visit(file);
  return findings;
}

function findingsOf({ program, checker }: Project, isWanted: (file: string) => boolean): readonly Finding[] {
  return program
    .getSourceFileNames()
    .filter((name) => name.startsWith(root) && isWanted(relative(root, name)))
    .flatMap((name) => {
      const file = program.getSourceFile(name);
      return file ? findingsIn(file, checker) : [];
    });
}

/**
 * Returns the places in the files of these projects where an object is indexed by a name that the code does not choose, by
 * TypeScript's own types.
 */
export function findOutsideNames(
  projects: readonly string[],
  isWanted: (file: string) => boolean,
): readonly Finding[] {
  const api = new API({ cwd: root });
  try {
    const snapshot = api.updateSnapshot({ openProjects: projects.map((project) => `${root}${project}`) });
    return snapshot.getProjects().flatMap((project) => findingsOf(project, isWanted));
  } finally {
    api.close();
  }
}
