import { sentence } from "../credentials/redact.ts";
import { goQuote } from "../go-compat/go-quote.ts";

/** Why the API server refuses a value: the `reason` of a cause in its response. */
export type FieldErrorType =
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueRequired"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueDuplicate"
  | "FieldValueForbidden";

/** One error of the API server, in its words. */
export type FieldError = Readonly<{
  type: FieldErrorType;
  /** For example `spec.capabilities.disabled[0]`. */
  field: string;
  /** The text after the field in the API server's response: `Invalid value: "x": too bad`. */
  message: string;
  value: unknown;
  /** The value is refused because of the stored one: a new object with it would be accepted. */
  isTransition?: boolean;
}>;

/** Returns the path of a field within the field at `path`; empty for the object itself. */
export const childPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

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

/** Replaces the value where a message does not name one. */
export const unnamed = Symbol("unnamed");

/** Messages of these types never name the value. */
const withoutValue: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
]);

function goText(value: unknown): string {
  return typeof value === "string" ? goQuote(value) : JSON.stringify(value);
}

/** Formats the error as the API server does; `shown` is the value that its message names. */
export function fieldError(
  type: FieldErrorType,
  field: string,
  value: unknown,
  detail: string,
  shown: unknown = value,
): FieldError {
  const named = withoutValue.has(type) || shown === unnamed ? "" : sentence`: ${goText(shown)}`;
  return {
    type,
    field,
    value,
    message: `${titles[type]}${named}${detail === "" ? "" : sentence`: ${detail}`}`,
  };
}

/** After errors of these types the API server does not evaluate the CRD's rules. */
export const blocksRules: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);
