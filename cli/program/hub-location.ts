import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Environment } from "#shared/adapters/settings/environment.ts";
import { UsageError } from "./exit-codes.ts";

/** What to do without a kubeconfig, for commands that read no manifests. */
export const hubOnly = "Set";

/** Returns the paths in KUBECONFIG, of which missing ones are skipped, or the default path. */
function kubeConfigPath(remedy = hubOnly): string {
  const { KUBECONFIG } = process.env;
  const path = KUBECONFIG || join(homedir(), ".kube", "config");
  const candidates = KUBECONFIG ? path.split(delimiter) : [path];
  if (candidates.some((one) => one !== "" && existsSync(one))) return path;
  throw new UsageError(
    `No kubeconfig names a hub (${candidates.join(", ")} does not exist). ${remedy} --kubeconfig, KUBECONFIG or HUBRELAY_HUB.`,
  );
}

export type HubOptions = Readonly<{ kubeconfig?: string; context?: string }>;

/**
 * Makes the hub that the options of a command name the hub of this process, as HUBRELAY_HUB would. Throws `UsageError`
 * for a kubeconfig that does not exist, and for a hub that has no contexts.
 */
export function chooseHub({ kubeconfig, context }: HubOptions): void {
  if (kubeconfig === undefined && context === undefined) return;
  if (kubeconfig !== undefined && !existsSync(kubeconfig))
    throw new UsageError(`--kubeconfig ${kubeconfig} does not exist.`);
  const hub = kubeconfig === undefined ? process.env.HUBRELAY_HUB : `kubeconfig:${kubeconfig}`;
  const [place = ""] = (hub || `kubeconfig:${kubeConfigPath()}`).split("#");
  if (context !== undefined && (place === "in-cluster" || place.startsWith("directory:")))
    throw new UsageError(`--context ${context}: HUBRELAY_HUB is ${place}, which has no contexts.`);
  process.env.HUBRELAY_HUB = context === undefined ? place : `${place}#${context}`;
}

/** Returns the environment with the hub to work on: HUBRELAY_HUB if it is set, else the hub of the kubeconfig. */
export function liveHubEnvironment(remedy?: string): Environment {
  return { ...process.env, HUBRELAY_HUB: process.env.HUBRELAY_HUB || `kubeconfig:${kubeConfigPath(remedy)}` };
}
