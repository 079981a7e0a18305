import { type Command, Option } from "commander";
import { commandAction } from "../../program/command-action.ts";
import { collect, wholeNumber } from "../../program/option-values.ts";

/** Adds `hubrelay console`. */
export function addConsoleCommand(hubrelay: Command): void {
  hubrelay
    .command("console")
    .description("serve pages about the hub to browsers, until Ctrl-C; writes nothing")
    .addOption(
      new Option("--port <port>", "port to listen on; 0 is any free one")
        .argParser(wholeNumber(0, 65_535))
        .default(8320),
    )
    .addOption(
      new Option(
        "--address <address>",
        "address to listen on; any other than loopback needs --protected-by",
      ).default("127.0.0.1"),
    )
    .addOption(
      new Option(
        "--protected-by <what>",
        "what keeps strangers from an address that others can reach: the console has no login",
      ).choices(["authenticating-proxy", "closed-network"]),
    )
    .addOption(
      new Option(
        "--host-name <name>",
        "name under which browsers reach it, besides localhost; requests with other names are refused; repeatable",
      ).argParser(collect),
    )
    .addHelpText(
      "after",
      `
The hub is that of the kubeconfig, or HUBRELAY_HUB: directory:PATH is a folder of manifests.

Examples:
  hubrelay console
  hubrelay console --context hub-oslo --port 0
  HUBRELAY_HUB=directory:hub hubrelay console
  hubrelay console --address 0.0.0.0 --protected-by authenticating-proxy --host-name console.example.com`,
    )
    .action(commandAction(async () => (await import("./console.ts")).serveConsole));
}
