import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { type Command, Option } from "commander";
import type { Environment } from "#shared/adapters/settings/environment.ts";
import { UsageError } from "./exit-codes.ts";

function kubeConfigPath(): string {
  const { KUBECONFIG } = process.env;
  const path = KUBECONFIG || join(homedir(), ".kube", "config");
  const candidates = KUBECONFIG ? path.split(delimiter) : [path];
  if (candidates.some((one) => one !== "" && existsSync(one))) return path;
  throw new UsageError(
    `No kubeconfig names a hub (${candidates.join(", ")} does not exist). Set --kubeconfig, KUBECONFIG or HUBRELAY_HUB; most commands also take manifests with -f.`,
  );
}

/** Returns the environment. If HUBRELAY_HUB has no value, the value becomes the hub of the kubeconfig. */
export function liveHubEnvironment(): Environment {
  return { ...process.env, HUBRELAY_HUB: process.env.HUBRELAY_HUB || `kubeconfig:${kubeConfigPath()}` };
}

const withoutHub = new Set(["complete", "completion", "config", "dev", "dlq", "version"]);

const kubeconfigOption = () =>
  new Option("--kubeconfig <file>", "kubeconfig of the hub, instead of KUBECONFIG or HUBRELAY_HUB");
const contextOption = () =>
  new Option("--context <name>", "context of the kubeconfig, instead of its current one");

/** Adds `--kubeconfig` and `--context`, with the same meaning as for kubectl, to all commands that read a hub. */
export function addHubOptions(hubrelay: Command): void {
  const add = (command: Command): void => {
    if (withoutHub.has(command.name())) return;
    for (const below of command.commands) add(below);
    if (command.commands.length > 0 && command.registeredArguments.length === 0) return;
    command.addOption(kubeconfigOption()).addOption(contextOption());
  };
  for (const command of hubrelay.commands) add(command);
  hubrelay.hook("preAction", (_, called) => useHub(called));
}

type Called = Readonly<{
  kubeconfig?: string;
  context?: string;
  filename?: readonly string[];
  against?: string;
}>;

/** Applies `--kubeconfig` and `--context` by a change of HUBRELAY_HUB, which all later code reads. */
function useHub(command: Command): void {
  const { kubeconfig, context, filename, against } = command.opts<Called>();
  if (kubeconfig === undefined && context === undefined) return;
  const given = kubeconfig === undefined ? "--context" : "--kubeconfig";
  if (filename && against !== "hub")
    throw new UsageError(`${given} has no effect with -f, which reads no hub.`);
  if (command.name() === "diff" && !command.args.includes("hub"))
    throw new UsageError(`${given} has no effect here: none of the sides is "hub".`);
  if (kubeconfig !== undefined && !existsSync(kubeconfig))
    throw new UsageError(`--kubeconfig ${kubeconfig} does not exist.`);
  const hub = kubeconfig === undefined ? process.env.HUBRELAY_HUB : `kubeconfig:${kubeconfig}`;
  const [place = ""] = (hub || `kubeconfig:${kubeConfigPath()}`).split("#");
  if (context !== undefined && (place === "in-cluster" || place.startsWith("directory:")))
    throw new UsageError(`--context ${context}: HUBRELAY_HUB is ${place}, which has no contexts.`);
  process.env.HUBRELAY_HUB = context === undefined ? place : `${place}#${context}`;
}
