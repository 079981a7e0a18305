import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Node, SourceFile } from "typescript/unstable/ast";
import { API, type Checker, type Project, type Type, TypeFlags } from "typescript/unstable/sync";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A place in the code that a rule refuses. */
export type Finding = Readonly<{ file: string; line: number; reason: string; text: string }>;

/** Returns the reason to refuse a node; undefined without one. */
export type Rule = (node: Node, checker: Checker, textOf: (node: Node) => string) => string | undefined;

/** Reports whether the code itself names every value of the type: literals, numbers, symbols. */
export function isOwnName(type: Type | undefined): boolean {
  if (!type) return false;
  if (type.isUnionType()) return type.getTypes()?.every(isOwnName) ?? false;
  return (type.flags & (TypeFlags.NumberLike | TypeFlags.StringLiteral | TypeFlags.ESSymbolLike)) !== 0;
}

function findingsIn(file: SourceFile, checker: Checker, rule: Rule): readonly Finding[] {
  const findings: Finding[] = [];
  const textOf = (node: Node) => file.text.slice(node.getStart(file), node.end);
  const visit = (node: Node): void => {
    const reason = rule(node, checker, textOf);
    if (reason) {
      const line = file.text.slice(0, node.getStart(file)).split("\n").length;
      findings.push({ file: relative(root, file.fileName), line, reason, text: textOf(node) });
    }
    node.forEachChild(visit);
  };
  visit(file);
  return findings;
}

function findingsOf(
  { program, checker }: Project,
  isWanted: (file: string) => boolean,
  rule: Rule,
): readonly Finding[] {
  return program
    .getSourceFileNames()
    .filter((name) => name.startsWith(root) && isWanted(relative(root, name)))
    .flatMap((name) => {
      const file = program.getSourceFile(name);
      return file ? findingsIn(file, checker, rule) : [];
    });
}

/** A rule, and the files that it is for. */
export type RuleFor = Readonly<{ isWanted: (file: string) => boolean; rule: Rule }>;

/** Returns the places in the code that each rule refuses, by TypeScript's own types, which are read once for all rules. */
export function findInCode<Name extends string>(
  rules: Readonly<Record<Name, RuleFor>>,
): Readonly<Record<Name, readonly Finding[]>> {
  const api = new API({ cwd: root });
  try {
    const projects = ["tsconfig.json", "console/client/tsconfig.json"];
    const snapshot = api.updateSnapshot({ openProjects: projects.map((project) => `${root}${project}`) });
    const found = Object.entries<RuleFor>(rules).map(([name, { isWanted, rule }]) => [
      name,
      snapshot.getProjects().flatMap((project) => findingsOf(project, isWanted, rule)),
    ]);
    return Object.fromEntries(found);
  } finally {
    api.close();
  }
}
