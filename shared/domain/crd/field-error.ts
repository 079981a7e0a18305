import { goQuote } from "../go-compat/go-quote.ts";

/** Why the API server refuses a value, by the `reason` of its answer's causes. */
export type FieldErrorType =
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueRequired"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueDuplicate"
  | "FieldValueForbidden";

/** One thing that the API server refuses, in its words. */
export type FieldError = Readonly<{
  type: FieldErrorType;
  /** `spec.capabilities.disabled[0]`. */
  field: string;
  /** What follows the field in the API server's answer: `Invalid value: "x": too bad`. */
  message: string;
  value: unknown;
  /** The value is refused for what is stored: the same object would be accepted as a new one. */
  isTransition?: boolean;
}>;

const titles: Readonly<Record<FieldErrorType, string>> = {
  FieldValueInvalid: "Invalid value",
  FieldValueTypeInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueRequired: "Required value",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueDuplicate: "Duplicate value",
  FieldValueForbidden: "Forbidden",
};

/** Stands for the value where a message names none. */
export const unnamed = Symbol("unnamed");

/** These never name one. */
const withoutValue: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
]);

/** A value as Go prints it in an error. */
function goText(value: unknown): string {
  return typeof value === "string" ? goQuote(value) : JSON.stringify(value);
}

/** Says the error as the API server does; `shown` is what its message names as the value. */
export function fieldError(
  type: FieldErrorType,
  field: string,
  value: unknown,
  detail: string,
  shown: unknown = value,
): FieldError {
  const named = withoutValue.has(type) || shown === unnamed ? "" : `: ${goText(shown)}`;
  return { type, field, value, message: `${titles[type]}${named}${detail === "" ? "" : `: ${detail}`}` };
}

/** After errors of these types the API server leaves the rules of the CRD alone. */
export const blocksRules: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);
