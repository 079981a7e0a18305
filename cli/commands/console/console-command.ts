import type { CliCommand } from "../../program/command.ts";
import { collect, wholeNumber } from "../../program/option-values.ts";

export function addConsoleCommand(hubrelay: CliCommand): void {
  hubrelay
    .command("console")
    .description("serve pages about the hub to browsers, until Ctrl-C; writes nothing")
    .option("--port <port>", "port to listen on; 0 is any free one", wholeNumber(0, 65_535), 8320)
    .option(
      "--address <address>",
      "address to listen on; any other than loopback needs --protected-by",
      "127.0.0.1",
    )
    .choice(
      "--protected-by <what>",
      "what keeps strangers from an address that others can reach: the console has no login",
      ["authenticating-proxy", "closed-network"],
    )
    .option(
      "--host-name <name>",
      "name under which browsers reach it, besides localhost; requests with other names are refused; repeatable",
      collect,
    )
    .closingHelp(`
The hub is that of the kubeconfig, or HUBRELAY_HUB: directory:PATH is a folder of manifests.

Examples:
  hubrelay console
  hubrelay console --context hub-oslo --port 0
  HUBRELAY_HUB=directory:hub hubrelay console
  hubrelay console --address 0.0.0.0 --protected-by authenticating-proxy --host-name console.example.com`)
    .runs(async () => (await import("./console.ts")).serveConsole);
}
