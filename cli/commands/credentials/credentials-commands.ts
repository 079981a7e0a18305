import { Option } from "commander";
import type { CliCommand } from "../../program/command.ts";
import { collect, wholeNumber } from "../../program/option-values.ts";
import { outputOption } from "../../program/options.ts";

/** Adds the commands for the kubeconfigs of functions that run outside of the hub. */
export function addCredentialsCommands(hubrelay: CliCommand): void {
  const credentials = hubrelay
    .command("credentials")
    .description("the kubeconfigs of functions that run outside of the hub");

  credentials
    .command("rotate")
    .description("replace tokens of functions that expire soon, and create the missing ones")
    .addOption(
      new Option(
        "--store <store>",
        "where the kubeconfigs are: secretsmanager:/hubrelay/STAGE or parameterstore:/hubrelay/STAGE, with a hub's name /hubrelay/STAGE-HUB",
      )
        .env("HUBRELAY_KUBECONFIGS")
        .makeOptionMandatory(),
    )
    .option("--function <name>", "only this function; repeatable", collect)
    .option(
      "--days <n>",
      "how long new tokens are valid; the hub may make them shorter",
      wholeNumber(1, 366),
      90,
    )
    .option(
      "--before <n>",
      "keep logins that are valid for this many days or longer",
      wholeNumber(1, 365),
      30,
    )
    .option("--all", "replace every login, however long it is valid", false)
    .option(
      "--replace-server",
      "take server and certificate authority from your kubeconfig, not from the stored ones",
      false,
    )
    .option("--kms-key <key>", "KMS key of kubeconfigs that are created, if it is not AWS's own")
    .option(
      "--dry-run",
      "show what would be done and whether you are permitted to do it; change nothing",
      false,
    )
    .addOption(outputOption())
    .closingHelp(`
Creates a token of the function's ServiceAccount, checks that the hub accepts it as that account with the server and
the certificate authority of the kubeconfig, and only then replaces the kubeconfig as a whole. No token is printed.

Exit code 1: at least one login was not replaced; the others were.

Examples:
  hubrelay credentials rotate --store secretsmanager:/hubrelay/prod --dry-run
  hubrelay credentials rotate --store parameterstore:/hubrelay/prod-east --all --function mirror-config`)
    .runs(async () => (await import("./rotate.ts")).rotate);
}
