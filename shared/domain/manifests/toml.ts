import { parse } from "@iarna/toml";
import { isTooDeep, maxNesting } from "../kubernetes/json/nesting.ts";
import { fieldsOf, type UnknownRecord } from "../kubernetes/json/values.ts";
import { firstLineOf } from "../text/error-text.ts";

/** A text that is no TOML; `line` counts from 1. */
export class TomlError extends Error {
  override readonly name = "TomlError";
  readonly line: number;

  constructor(message: string, line = 1) {
    super(message);
    this.line = line;
  }
}

/** Parses TOML. Throws a `TomlError` whose message quotes nothing of the text, which may hold a credential. */
export function parseToml(text: string): UnknownRecord {
  if (isTooDeep(text)) throw new TomlError(`The TOML is nested more than ${maxNesting} levels deep`);
  try {
    return parse(text);
  } catch (error) {
    const { line } = fieldsOf(error);
    // The lines after the first quote the text around the error.
    throw new TomlError(firstLineOf(error).replace(/:$/, ""), typeof line === "number" ? line + 1 : 1);
  }
}
