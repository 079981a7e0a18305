import { sentence } from "../credentials/redact.ts";
import { isRecord, ownValue } from "../json/values.ts";
import { isUnchanged, type Stored, storedField, storedItem } from "./correlation.ts";
import { childPath, type FieldError, type FieldErrorType, fieldError, unnamed } from "./field-error.ts";
import type { Schema, SchemaRule } from "./schema.ts";

/**
 * The result of a rule: it holds, it does not hold, or it could not be evaluated. `refused`: the API server could
 * not evaluate it either, and refuses the value with this text.
 */
export type RuleResult = boolean | Readonly<{ refused: string }> | Readonly<{ unknown: string }>;

/** A rule that can be evaluated; `schema` gives the type of the value. */
export type Rule = (self: unknown, oldSelf: Stored, schema: Schema<Rule>) => RuleResult | string;

/** A rule that hubrelay could not evaluate, though the API server may. */
export type UnknownRule = Readonly<{ field: string; message: string; reason: string }>;

export type RuleFindings = { readonly errors: FieldError[]; readonly unknown: UnknownRule[] };

const types: Readonly<Record<string, FieldErrorType>> = {
  FieldValueForbidden: "FieldValueForbidden",
  FieldValueRequired: "FieldValueRequired",
  FieldValueDuplicate: "FieldValueDuplicate",
};

const isScalar = ({ type }: Schema<unknown>) => type !== "object" && type !== "array";

function messageOf(
  { message, messageExpression }: SchemaRule<Rule>,
  value: unknown,
  stored: Stored,
  schema: Schema<Rule>,
): string {
  const text = messageExpression?.(value, stored, schema);
  return typeof text === "string" && text.trim() !== "" && !text.includes("\n") ? text.trim() : message;
}

function checkRule(
  rule: SchemaRule<Rule>,
  value: unknown,
  schema: Schema<Rule>,
  path: string,
  stored: Stored,
  findings: RuleFindings,
): void {
  if (rule.usesOldSelf && !stored && !rule.optionalOldSelf) return;
  const result = rule.rule(value, stored, schema);
  if (result === true) return;
  if (typeof result === "object" && "unknown" in result) {
    findings.unknown.push({ field: path, message: rule.message, reason: result.unknown });
    return;
  }
  if (typeof result === "object") {
    findings.errors.push(
      fieldError(
        "FieldValueInvalid",
        path,
        value,
        sentence`${result.refused} evaluating rule: ${rule.message}`,
        schema.type,
      ),
    );
    return;
  }
  // A value that is already stored passes, unless the rule compares it with the old one.
  if (!rule.usesOldSelf && isUnchanged(value, stored)) return;
  const field = rule.fieldPath ? `${path}${rule.fieldPath}` : path;
  const detail = messageOf(rule, value, stored, schema);
  const type = ownValue(types, rule.reason ?? "") ?? "FieldValueInvalid";
  const error = { ...fieldError(type, field, value, detail, isScalar(schema) ? value : unnamed) };
  findings.errors.push(rule.usesOldSelf ? { ...error, isTransition: true } : error);
}

/** Evaluates the rules of a schema on a value and on everything inside it. */
export function checkRules(
  value: unknown,
  schema: Schema<Rule>,
  path: string,
  stored: Stored,
  findings: RuleFindings,
): void {
  if (value === null || value === undefined) return;
  for (const rule of schema.rules ?? []) checkRule(rule, value, schema, path, stored, findings);
  for (const all of schema.allOf ?? []) checkRules(value, all, path, stored, findings);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return;
    for (const [index, item] of value.entries())
      checkRules(item, items, `${path}[${index}]`, storedItem(stored, schema, item), findings);
  } else if (isRecord(value)) {
    for (const [name, field] of Object.entries(value)) {
      const property = schema.properties?.get(name);
      const known = property ?? schema.additionalProperties;
      const at = property ? childPath(path, name) : `${path}[${name}]`;
      if (known) checkRules(field, known, at, storedField(stored, name), findings);
    }
  }
}
