import { goQuote } from "../kubernetes/json/go-quote.ts";
import { listOf } from "../kubernetes/json/values.ts";
import { sentence } from "../text/redact.ts";
import { choice, type Field, orNull, parsed, required } from "./field.ts";
import type { Problem } from "./issue.ts";

/* These fields report what an API server refuses, in the server's words. Null counts as absent, as on the server. */

const missing: Problem = { code: "MissingField", message: "Required value", remedy: "Write it." };

/** Returns the field as required: the API server refuses an object without it. */
export const demanded = <Value>(field: Field<Value>): Field<Value | undefined> =>
  orNull(required(field, missing));

/** Returns a field that accepts only these texts. */
export function oneOf<const Value extends string>(
  values: readonly Value[],
  remedy: string,
): Field<Value | undefined> {
  const names = values.map(goQuote).join(", ");
  return choice(values, {}, (value) =>
    typeof value === "string"
      ? {
          code: "UnsupportedValue",
          message: sentence`Unsupported value: ${goQuote(value)}: supported values: ${names}`,
          remedy,
        }
      : sentence`one of ${names}`,
  );
}

/** Returns a list field that reports repeated texts. */
export const asSet = <Item>(field: Field<readonly Item[] | undefined>): Field<readonly Item[] | undefined> =>
  parsed(field, (value, path, refuse, given) => {
    for (const [index, item] of listOf(given).entries())
      if (typeof item === "string" && listOf(given).indexOf(item) < index)
        refuse(`${path}[${index}]`, item, {
          code: "DuplicateValue",
          message: sentence`Duplicate value: ${goQuote(item)}`,
          remedy: "List it once.",
        });
    return value;
  });

/** Returns a list field that reports an empty list. */
export const notEmpty = <Item>(
  field: Field<readonly Item[] | undefined>,
): Field<readonly Item[] | undefined> =>
  parsed(field, (value, path, refuse, given) => {
    if (listOf(given).length === 0)
      refuse(path, value, {
        code: "InvalidValue",
        message: "Invalid value: [] should have at least 1 items",
        remedy: "List one, or remove the list.",
      });
    return value;
  });
