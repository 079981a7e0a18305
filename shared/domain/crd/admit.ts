import { isRecord } from "../json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { listTypeErrors } from "./check-lists.ts";
import { checkRules, type Rule, type RuleFindings, type UnknownRule } from "./check-rules.ts";
import { type MatchPattern, valueErrors } from "./check-values.ts";
import { completeObject } from "./complete.ts";
import { blocksRules, type FieldError, fieldError } from "./field-error.ts";
import type { Schema } from "./schema.ts";

/** What an API server with this schema says to an object. */
export type Admission = Readonly<{
  /** Empty: it accepts the object. */
  errors: readonly FieldError[];
  /** Fields that it does not know, and drops; clients that ask for strict validation are refused. */
  dropped: readonly string[];
  /** Rules that could not be worked out here. */
  unknownRules: readonly UnknownRule[];
}>;

/** The object with another's status: status is written by itself. */
function withStatusOf(object: Readonly<Record<string, unknown>>, other: unknown): Record<string, unknown> {
  const { status: _, ...rest } = object;
  return isRecord(other) && other.status !== undefined ? { ...rest, status: other.status } : rest;
}

/**
 * What an API server says when the object is created, or with `stored` when it takes that one's place: the schema,
 * its list types and then its rules, which are left alone when the object has a wrong shape. The status is not
 * looked at, and neither is `metadata`. Patterns are left out where nobody can match them.
 */
export function admit(
  object: KubernetesObject,
  stored: KubernetesObject | undefined,
  schema: Schema<Rule>,
  matches?: MatchPattern,
): Admission {
  const old = stored && completeObject(stored, schema).value;
  const { value, dropped } = completeObject(withStatusOf(object, old), schema);
  const before = old === undefined ? undefined : { value: old };
  const shape = valueErrors(value, schema, "", before, { matches });
  const wasWrong = old !== undefined && listTypeErrors(old, schema).length > 0;
  const errors = [...shape, ...(wasWrong ? [] : listTypeErrors(value, schema))];
  if (errors.some(({ type }) => blocksRules.has(type))) {
    const detail =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return {
      errors: [...errors, fieldError("FieldValueInvalid", "<nil>", null, detail)],
      dropped,
      unknownRules: [],
    };
  }
  const findings: RuleFindings = { errors: [], unknown: [] };
  checkRules(value, schema, "", before, findings);
  return { errors: [...errors, ...findings.errors], dropped, unknownRules: findings.unknown };
}
