import { type Command, Option } from "commander";
import { UsageError } from "./exit-codes.ts";
import { chooseHub, type HubOptions } from "./hub-location.ts";

/** Commands that read no hub, with those below them. */
const withoutHub = new Set(["complete", "completion", "config", "dev", "dlq", "version"]);

const kubeconfigOption = () =>
  new Option("--kubeconfig <file>", "kubeconfig of the hub, instead of KUBECONFIG or HUBRELAY_HUB");
const contextOption = () =>
  new Option("--context <name>", "context of the kubeconfig, instead of its current one");

/** Adds `--kubeconfig` and `--context`, with kubectl's meaning, to every command that reads a hub. */
export function addHubOptions(hubrelay: Command): void {
  const add = (command: Command): void => {
    if (withoutHub.has(command.name())) return;
    for (const below of command.commands) add(below);
    // A command that only has others below it reads nothing.
    if (command.commands.length > 0 && command.registeredArguments.length === 0) return;
    command.addOption(kubeconfigOption()).addOption(contextOption());
  };
  for (const command of hubrelay.commands) add(command);
  hubrelay.hook("preAction", (_, called) => useHub(called));
}

type Called = HubOptions & Readonly<{ filename?: readonly string[]; against?: string }>;

/** Throws `UsageError` when the options name a hub that the command would not read. */
function useHub(command: Command): void {
  const options = command.opts<Called>();
  const [given] = (["kubeconfig", "context"] as const).filter((name) => options[name] !== undefined);
  if (given === undefined) return;
  if (options.filename && options.against !== "hub")
    throw new UsageError(`--${given} has no effect with -f, which reads no hub.`);
  if (command.name() === "diff" && !command.args.includes("hub"))
    throw new UsageError(`--${given} has no effect here: none of the sides is "hub".`);
  chooseHub(options);
}
