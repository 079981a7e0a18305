import { ownValue } from "../../domain/kubernetes/json/values.ts";
/** A setting or a part of the installation is missing or invalid, so the function or command cannot start. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
  readonly code = "InvalidEnvironment";
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the variable's value. Throws `EnvironmentError` if it is not set or empty. */
export function required(environment: Environment, name: string, example: string): string {
  const value = ownValue(environment, name);
  if (!value) throw new EnvironmentError(`${name} is not set; it should be like ${example}.`);
  return value;
}

/** Reports whether a value is an HTTP or HTTPS URL. */
export const isHttpUrl = (value: unknown): value is string =>
  typeof value === "string" && /^https?:$/.test(URL.parse(value)?.protocol ?? "");
