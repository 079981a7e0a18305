import { isRecord, ownValue, parseJson } from "../../domain/kubernetes/json/values.ts";
import { type Environment, EnvironmentError } from "./environment.ts";

/**
 * Reads a variable that is a JSON object of name to settings with these fields. `read` returns the settings of one name,
 * or an error as the rest of a sentence. Undefined when the variable is not set; throws `EnvironmentError`.
 */
export function namedSettings<Settings extends object>(
  environment: Environment,
  { variable, example, fields }: Readonly<{ variable: string; example: string; fields: readonly string[] }>,
  read: (name: string, given: Readonly<Record<string, unknown>>) => Settings | string,
): readonly Settings[] | undefined {
  const text = ownValue(environment, variable);
  if (!text) return undefined;
  const named = parseJson(text);
  const refusal = (what: string) => new EnvironmentError(`${variable}${what}; it should be like ${example}.`);
  if (!isRecord(named)) throw refusal(" is not a JSON object");
  return Object.entries(named).map(([name, given]) => {
    const settings = isRecord(given)
      ? (unknownField(given, fields) ?? read(name, given))
      : "is not a JSON object";
    if (typeof settings === "string") throw refusal(`: ${name} ${settings}`);
    return settings;
  });
}

/** Returns the error for a field with an unknown name; undefined when all are known. */
function unknownField(
  given: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): string | undefined {
  const unknown = Object.keys(given).find((name) => !fields.includes(name));
  return unknown === undefined
    ? undefined
    : `has the unknown field ${unknown}; there are ${fields.join(", ")}`;
}

/** Reports whether a value is an HTTP URL. */
export const isHttpUrl = (value: unknown): value is string =>
  typeof value === "string" && /^https?:$/.test(URL.parse(value)?.protocol ?? "");
