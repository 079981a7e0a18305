import type { CliCommand } from "../../program/command.ts";
import {
  hubOrFileOption,
  nowOption,
  outputOption,
  policyOptions,
  pullSecretOption,
  requireCoverageOption,
} from "../../program/options.ts";

export function addImportCommand(hubrelay: CliCommand): void {
  hubrelay
    .command("import")
    .description(
      "check what oc-mirror wrote, compare it with the hub, and write it in the right order; applies nothing",
    )
    .argument("<dir>", "oc-mirror's workspace, or its folder cluster-resources (v2) or results-TIME (v1)")
    .addOption(hubOrFileOption())
    .option("--dir <dir>", "write the objects to this folder, a file for each wave")
    .addOptions(
      ...policyOptions("the images that the mirrors have", ["dir", "requireCoverage"]),
      pullSecretOption("for --policies: "),
    )
    .addOptions(requireCoverageOption(), nowOption(), outputOption())
    .closingHelp(`
The order is: signatures of releases, mirrors, then every pool has to be updated, catalogs, UpdateService. Times in
annotations are not compared. Stale objects were made by an earlier run of oc-mirror; they are reported, and left alone.

Examples:
  hubrelay import workspace/                           # new, changed, unchanged and stale, and the cost for each pool
  hubrelay import workspace/ -f hub/ -o json           # compared with manifests
  hubrelay import workspace/ --dir out                 # a file for each step
  hubrelay import workspace/ --policies --key vendor.pub > policies.yaml`)
    .runs(async () => (await import("./import.ts")).importMirrors);
}
