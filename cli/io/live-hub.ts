import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Environment } from "#shared/adapters/settings/environment.ts";
import type { Kind } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { type Hub, HubError, type HubReader } from "#shared/ports/hub.ts";
import { inEnvironment } from "../program/environment-errors.ts";
import { UsageError } from "../program/usage-error.ts";

/** The kubeconfig that oc and kubectl would read: the first existing one of KUBECONFIG, else the home folder's. */
function kubeConfigPath(): string {
  const { KUBECONFIG } = process.env;
  const candidates = KUBECONFIG ? KUBECONFIG.split(delimiter) : [join(homedir(), ".kube", "config")];
  const found = candidates.find((path) => path !== "" && existsSync(path));
  if (found) return found;
  throw new UsageError(
    `No kubeconfig names a hub (${candidates.join(", ")} does not exist). Give manifests with -f, or set KUBECONFIG or HUBRELAY_HUB.`,
  );
}

/** The environment with the hub that a person works on: HUBRELAY_HUB where it is set, else the kubeconfig's. */
export function liveHubEnvironment(): Environment {
  return { ...process.env, HUBRELAY_HUB: process.env.HUBRELAY_HUB ?? `kubeconfig:${kubeConfigPath()}` };
}

async function openLiveHub(): Promise<Hub & Readonly<{ close(): void }>> {
  const { openHub } = await import("#shared/adapters/hub/open-hub.ts");
  return openHub(liveHubEnvironment());
}

/** Runs what a person changes on the live hub; its trouble is the environment's, as in `onLiveHub`. */
export function changeLiveHub<Answer>(change: (hub: Hub) => Promise<Answer>): Promise<Answer> {
  return withLiveHub(change);
}

/**
 * Runs what looks at the live hub. Throws `UsageError` when the hub cannot be reached or may not be read, which is
 * the environment's fault and no finding.
 */
export function onLiveHub<Answer>(look: (hub: HubReader) => Promise<Answer>): Promise<Answer> {
  return withLiveHub(look);
}

function withLiveHub<Answer>(look: (hub: Hub) => Promise<Answer>): Promise<Answer> {
  return inEnvironment(async () => {
    const hub = await openLiveHub();
    try {
      return await look(hub);
    } catch (error) {
      if (error instanceof HubError) throw new UsageError(`${hub.id}: ${error.message}`);
      throw error;
    } finally {
      hub.close();
    }
  });
}

/** Every object of these kinds on the live hub; a kind that it does not serve has none. */
export function readLiveHub(kinds: readonly Kind[]): Promise<readonly KubernetesObject[]> {
  return onLiveHub(async (hub) => (await Promise.all(kinds.map((kind) => hub.list(kind)))).flat());
}
