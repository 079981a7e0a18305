import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { windowIssues, windowKinds } from "#shared/domain/windows/validate-windows.ts";
import { tellIssues } from "../../io/issue-text.ts";
import { UsageError } from "../../program/usage-error.ts";
import { type CheckOptions, checkObjects } from "../hosted/hosted-cluster-check.ts";
import { mirrorInput } from "./mirror-input.ts";

export type ValidateOptions = CheckOptions &
  Readonly<{
    /** Absent: the live hub. */
    filename?: readonly string[];
    compat?: "mco";
    issues: "text" | "json";
  }>;

/**
 * `hubrelay validate`: every issue of the given objects on standard error, of maintenance windows and of who names
 * them too, and what API servers say to those that take the place of others. Answers the exit code.
 */
export async function validate(options: ValidateOptions): Promise<number> {
  const { filename, compat, issues: format } = options;
  // Read twice it would be empty the second time, and everything seem new.
  const fromStdin = [filename?.includes("-"), options.against === "-", options.crds === "-"];
  if (fromStdin.filter(Boolean).length > 1)
    throw new UsageError("only one of -f, --against and --crds can be standard input");
  const others = [kinds.HostedCluster, kinds.NodePool, ...windowKinds];
  const { input, issues } = await mirrorInput(filename, others);
  const configuration = configureMirrors(input, compat ? { compat } : {});
  const refusals = await checkObjects(input.objects, configuration.issues, options);
  const windows = compat ? [] : windowIssues(input.objects, new Date(), { isWhole: !filename });
  return tellIssues([...issues, ...configuration.issues, ...windows, ...refusals], format);
}
