import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { repeatedPairs } from "#shared/domain/mirrors/input/repeated-pairs.ts";
import { allGroups } from "#shared/domain/mirrors/merge/sources.ts";
import { windowIssues, windowKinds } from "#shared/domain/windows/validate-windows.ts";
import { printIssues } from "../../io/issue-text.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { type CheckOptions, checkObjects } from "../hosted/hosted-cluster-check.ts";
import { mirrorInput } from "./mirror-input.ts";
import type { ReleaseOptions } from "./release-input.ts";

export type ValidateOptions = CheckOptions &
  ReleaseOptions &
  Readonly<{
    /** Absent: the live hub. */
    filename?: readonly string[];
    compat?: "mco";
    issues: "text" | "json";
  }>;

/**
 * Runs `hubrelay validate`: prints every issue of the objects on standard error, including repeated mirrors, those of
 * maintenance windows and their referrers, and of updates that API servers refuse. Returns the exit code.
 */
export async function validate(options: ValidateOptions): Promise<number> {
  const { filename, compat, issues: format } = options;
  // Standard input is empty the second time, so every object would seem new.
  const fromStdin = [filename?.includes("-"), options.against === "-", options.crds === "-"];
  if (fromStdin.filter(Boolean).length > 1)
    throw new UsageError("only one of -f, --against and --crds can be standard input");
  const others = [kinds.HostedCluster, kinds.NodePool, ...windowKinds];
  const { input, issues } = await mirrorInput(filename, options, others);
  const configuration = configureMirrors(input, compat ? { compat } : {});
  const repeated =
    configuration.basis && !compat
      ? repeatedPairs(allGroups(configuration.basis.merged).flatMap(({ rules }) => rules))
      : [];
  const refusals = await checkObjects(input.objects, configuration.issues, options);
  const windows = compat ? [] : windowIssues(input.objects, new Date(), { isWhole: !filename });
  return printIssues([...issues, ...configuration.issues, ...repeated, ...windows, ...refusals], format);
}
