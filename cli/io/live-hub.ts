import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Environment } from "#shared/adapters/settings/environment.ts";
import type { Kind } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { type Hub, HubError, type HubReader } from "#shared/ports/hub.ts";
import { inEnvironment } from "../program/environment-errors.ts";
import { UsageError } from "../program/exit-codes.ts";

function kubeConfigPath(): string {
  const { KUBECONFIG } = process.env;
  const candidates = KUBECONFIG ? KUBECONFIG.split(delimiter) : [join(homedir(), ".kube", "config")];
  const found = candidates.find((path) => path !== "" && existsSync(path));
  if (found) return found;
  throw new UsageError(
    `No kubeconfig names a hub (${candidates.join(", ")} does not exist). Give manifests with -f, or set KUBECONFIG or HUBRELAY_HUB.`,
  );
}

/** Returns the environment with the hub to work on: HUBRELAY_HUB if it is set, else the hub of the kubeconfig. */
export function liveHubEnvironment(): Environment {
  return { ...process.env, HUBRELAY_HUB: process.env.HUBRELAY_HUB ?? `kubeconfig:${kubeConfigPath()}` };
}

async function openLiveHub(): Promise<Hub & Readonly<{ close(): void }>> {
  const { openHub } = await import("#shared/adapters/hub/open-hub.ts");
  return openHub(liveHubEnvironment());
}

/** Runs a change on the live hub. Throws the same errors as `onLiveHub`. */
export function changeLiveHub<Result>(change: (hub: Hub) => Promise<Result>): Promise<Result> {
  return withLiveHub(change);
}

/**
 * Runs a read of the live hub. Throws `UsageError` when the hub cannot be reached or access is denied: an error of
 * the environment, not a finding.
 */
export function onLiveHub<Result>(read: (hub: HubReader) => Promise<Result>): Promise<Result> {
  return withLiveHub(read);
}

function withLiveHub<Result>(use: (hub: Hub) => Promise<Result>): Promise<Result> {
  return inEnvironment(async () => {
    const hub = await openLiveHub();
    try {
      return await use(hub);
    } catch (error) {
      if (error instanceof HubError) throw new UsageError(`${hub.id}: ${error.message}`);
      throw error;
    } finally {
      hub.close();
    }
  });
}

/** Returns all objects of these kinds on the live hub; none for a kind that it does not serve. */
export function readLiveHub(kinds: readonly Kind[]): Promise<readonly KubernetesObject[]> {
  return onLiveHub(async (hub) => (await Promise.all(kinds.map((kind) => hub.list(kind)))).flat());
}
