import type { CliCommand } from "../../program/command.ts";
import { collect } from "../../program/option-values.ts";
import { hubOrFileOption, outputOption, requireCoverageOption, watchOption } from "../../program/options.ts";

/** Adds `verify` and `doctor`, which check a whole hub and write nothing. */
export function addDoctorCommands(hubrelay: CliCommand): void {
  hubrelay
    .command("verify")
    .description("compare what is on the hub with what should be there; writes nothing")
    .addOption(hubOrFileOption())
    .option("--function <name>", "only this function; repeatable", collect)
    .addOptions(outputOption(), watchOption(), requireCoverageOption())
    .closingHelp(`
Every function reads and decides as it does in a deployment, but writes nothing. Reports what differs, who writes it, and
every error. Where oc reads the hub, leave out the kinds that it does not serve. Exit code 1: something differs, or an object
has an error.

Examples:
  hubrelay verify
  hubrelay verify --function mirror-config -o json
  oc get idms,itms,imagecontentsourcepolicy,clusterimagepolicy,imagepolicy,image.config.openshift.io,clusterversion,featuregate,infrastructure,machineconfiguration,mcp,mc -A -o yaml | hubrelay verify -f - --function mirror-config`)
    .runs(async () => (await import("./verify.ts")).verify);

  hubrelay
    .command("doctor")
    .description(
      "check hub, permissions, kinds, clock, time zones, Lease, queues and topic from here, and show how to fix each problem",
    )
    .option(
      "--account <name>",
      "only the permissions of this account (forwarder, resync, console, or a function's name); repeatable",
      collect,
    )
    .option("--as-accounts", "check the permissions of the deployment's ServiceAccounts, not your own")
    .addOption(outputOption())
    .closingHelp(`
The hub is HUBRELAY_HUB or the kubeconfig's; queues and topic are those of the environment, as in a deployment.
Nothing is written. Exit code 1: there is a problem.

Examples:
  hubrelay doctor
  hubrelay doctor --as-accounts                       # whether the roles of a deployment are in place
  KUBECONFIG=mirror-config.kubeconfig hubrelay doctor --account mirror-config -o json`)
    .runs(async () => (await import("./doctor.ts")).doctor);
}
