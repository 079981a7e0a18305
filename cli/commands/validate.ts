import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { tellIssues } from "../issue-text.ts";
import { mirrorInput } from "../mirror-input.ts";

export type ValidateOptions = Readonly<{
  /** Absent: the live hub. */
  filename?: readonly string[];
  compat?: "mco";
  issues: "text" | "json";
}>;

/** `hubrelay validate`: every issue of the given objects on standard error. Answers the exit code. */
export async function validate({ filename, compat, issues: format }: ValidateOptions): Promise<number> {
  const { input, issues } = await mirrorInput(filename);
  const configuration = configureMirrors(input, compat ? { compat } : {});
  return tellIssues([...issues, ...configuration.issues], format);
}
