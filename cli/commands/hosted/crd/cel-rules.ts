import { EvaluationError, Optional } from "@marcbachmann/cel-js";
import type { Rule, RuleResult } from "#shared/domain/crd/check-rules.ts";
import { mapRules, type Schema } from "#shared/domain/crd/schema.ts";
import { messageOf } from "#shared/domain/credentials/error-text.ts";
import { celEnvironment, withLinearMatching } from "./cel-environment.ts";
import { alignOrder, celValue, type ReadFormat } from "./cel-values.ts";

const environment = celEnvironment();

/** Converts formats that have a CEL type. An invalid value stays a string, which its schema refuses. */
const readFormat: ReadFormat = (format, text) => {
  try {
    if (format === "date-time") return environment.evaluate("timestamp(text)", { text });
    if (format === "duration") return environment.evaluate("duration(text)", { text });
  } catch {
    return text;
  }
  return text;
};

const firstLine = (error: unknown) => messageOf(error).split("\n", 1).join();

/** Returns the API server's own error where a rule fails on a value. */
function refusalOf(error: unknown): RuleResult {
  if (error instanceof EvaluationError) {
    if (error.code === "no_such_key")
      return { refused: firstLine(error).replace(/^No such key/, "no such key") };
    const index = /index out of bounds, index (-?\d+)/.exec(error.message)?.[1];
    if (index !== undefined) return { refused: `index out of bounds: ${index}` };
  }
  return { unknown: firstLine(error) };
}

type Program = (context: Record<string, unknown>) => unknown;

function compile(expression: string): Program | { unknown: string } {
  try {
    const program = environment.parse(withLinearMatching(expression));
    const { valid, error } = program.check();
    return valid ? program : { unknown: firstLine(error) };
  } catch (error) {
    return { unknown: firstLine(error) };
  }
}

/** Compiles a CEL expression. The rule returns `unknown` if this CEL does not support the expression. */
function celRule(expression: string, optionalOldSelf: boolean): Rule {
  const program = compile(expression);
  if (typeof program !== "function") return () => program;
  return (self, stored, schema) => {
    const old = stored && celValue(alignOrder(stored.value, self, schema), schema, readFormat);
    try {
      const oldSelf = optionalOldSelf ? (stored ? Optional.of(old) : Optional.none()) : old;
      const result = program({ self: celValue(self, schema, readFormat), oldSelf });
      return typeof result === "string" || typeof result === "boolean"
        ? result
        : { unknown: "the rule returns neither true nor false" };
    } catch (error) {
      return refusalOf(error);
    }
  };
}

/** Returns the schema of a CRD with its rules compiled, each once. */
export function compileRules(schema: Schema): Schema<Rule> {
  const compiled = new Map<string, Rule>();
  return mapRules(schema, (expression, optionalOldSelf) => {
    const key = `${optionalOldSelf} ${expression}`;
    const rule = compiled.get(key) ?? celRule(expression, optionalOldSelf);
    compiled.set(key, rule);
    return rule;
  });
}
