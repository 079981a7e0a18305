import type { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { lines, print, printMessage } from "../io/safe-text.ts";
import { CliCommand, usageError } from "../program/command.ts";
import { addHubOptions } from "../program/hub-location.ts";
import { addRenderOptionsBelow } from "../program/options.ts";
import { addCompletionCommands } from "./completion/completion-commands.ts";
import { addConfigCommand } from "./config/config-command.ts";
import { addConsoleCommand } from "./console/console-command.ts";
import { addDevCommand } from "./dev/dev-command.ts";
import { addDoctorCommands } from "./doctor/doctor-commands.ts";
import { addHostedCommands } from "./hosted/hosted-commands.ts";
import { addImportCommand } from "./import/import-command.ts";
import { addMirrorCommands } from "./mirrors/mirror-commands.ts";
import { addPrecacheCommands } from "./precache/precache-commands.ts";
import { addProcessCommands } from "./processes/process-commands.ts";
import { addQueueCommands } from "./queues/queue-commands.ts";
import { addReadyCommand, addUnneededCommand } from "./ready/ready-commands.ts";
import { addVersionCommand } from "./version.ts";
import { addWindowCommands } from "./windows/window-commands.ts";

function nameInErrors(command: Command, parents: readonly string[] = []): void {
  const path = [...parents, command.name()];
  command.configureOutput({
    outputError: (text) => printMessage(lines(usageError(text, path.join(" ")))),
  });
  for (const below of command.commands) nameInErrors(below, path);
}

const groups: readonly (readonly [heading: string, add: readonly ((hubrelay: CliCommand) => void)[]])[] = [
  ["Check manifests, and what a change costs:", [addMirrorCommands, addConfigCommand]],
  [
    "Prepare an upgrade:",
    [addImportCommand, addReadyCommand, addUnneededCommand, addPrecacheCommands, addWindowCommands],
  ],
  ["Check a hub:", [addHostedCommands, addDoctorCommands, addConsoleCommand]],
  ["Run hubrelay:", [addDevCommand, addProcessCommands, addQueueCommands]],
  ["Other commands:", [addVersionCommand, addCompletionCommands]],
];

/** Returns the `hubrelay` command with all its subcommands. Their code is loaded when they run. */
export function program(): CliCommand {
  const hubrelay = new CliCommand("hubrelay")
    .description(
      "Validate image mirrors, pre-cache upgrades and check hosted clusters on the hub of an OpenShift fleet.",
    )
    .version(packageJson.version, "-V, --version")
    .configureOutput({
      writeOut: (text) => print(lines(text)),
      writeErr: (text) => print(lines(text), process.stderr),
    })
    .exitOverride()
    // "hosted" and "hosted explain" share option names. Options after "explain" must belong to "hosted explain".
    .enablePositionalOptions()
    .closingHelp(`
Standard output has only the result; issues and messages go to standard error. Without -f a command reads the hub of
--kubeconfig, of HUBRELAY_HUB, of KUBECONFIG or of ~/.kube/config, the first that is set. NO_COLOR=1 and FORCE_COLOR=1 are
respected.

Exit codes:
  0    done; a difference that diff finds is no error
  1    the input has errors, or what was checked is not as it should be
  2    wrong usage or environment, or nothing to check
  70   a bug of hubrelay, with its stack
  130  ended by Ctrl-C, 141 by the reader of a pipe, 143 by SIGTERM; forward and work then return 0`);

  for (const [heading, commands] of groups) {
    hubrelay.commandsGroup(heading);
    for (const add of commands) add(hubrelay);
  }
  hubrelay.helpCommand(true);
  addHubOptions(hubrelay);
  addRenderOptionsBelow(hubrelay);
  nameInErrors(hubrelay);
  return hubrelay;
}
