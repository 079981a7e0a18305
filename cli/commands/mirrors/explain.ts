import { assumedRelease } from "#shared/domain/mirrors/assumed-release.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { explainImage } from "#shared/domain/mirrors/explain/explain-image.ts";
import { printIssues } from "../../io/issue-text.ts";
import { print } from "../../io/safe-text.ts";
import { type StructuredFormat, structured } from "../../io/structured-output.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { imageText } from "./image-text.ts";
import { mirrorInput } from "./mirror-input.ts";
import type { ReleaseOptions } from "./release-input.ts";

export type ExplainOptions = ReleaseOptions &
  Readonly<{
    /** Absent: the live hub. */
    filename?: readonly string[];
    output: "table" | StructuredFormat;
    namespace?: string;
    compat?: "mco";
    issues: "text" | "json";
  }>;

/**
 * Runs `hubrelay explain`: prints how a node with the rendered files pulls an image on standard output, issues on
 * standard error. Prints nothing if nothing can be rendered. Returns the exit code.
 */
export async function explain(image: string, options: ExplainOptions): Promise<number> {
  const { filename, output, namespace, compat, issues: format } = options;
  const { input, issues, place } = await mirrorInput("explain", filename, options);
  const configuration = configureMirrors(input, compat ? { compat } : {});
  const assumed = compat ? assumedRelease(configuration.releases) : [];
  const exitCode = printIssues(place([...issues, ...assumed, ...configuration.issues]), format);
  if (configuration.refused) return exitCodes.issues;
  const explanation = explainImage(image, configuration.files, namespace === undefined ? {} : { namespace });
  if ("problem" in explanation) throw new UsageError(explanation.problem);
  print(output === "table" ? imageText(explanation) : structured(explanation, output));
  return exitCode;
}
