import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { GuestError, type Guests } from "../../../ports/external-ports.ts";
import { type Hub, HubError } from "../../../ports/hub.ts";
import { isBatchOver } from "../../network/requests.ts";
import type { Environment } from "../../settings/environment.ts";
import { guestLimits } from "../kubernetes/connection.ts";
import type { KubernetesHub } from "../kubernetes/kubernetes-hub.ts";

export type GuestHubsOptions = Readonly<{
  /** The timeout of one request. It is short, so that a dead cluster delays the others only a little. */
  requestTimeoutMs?: number;
  cooldownMs?: number;
  /** The maximum number of open connections. Above it, the least recently used connection is closed. */
  capacity?: number;
  environment?: Environment;
  now?: () => number;
}>;

type Open = Readonly<{ hub: KubernetesHub; guarded: Hub }>;
type Kept = { readonly fingerprint: string; readonly opening: Promise<Open>; open?: Open };

/** If the cluster does not respond, requests fail at once for `cooldownMs`. The end of a batch does not count. */
function withCooldown(
  hub: Hub,
  cluster: string,
  { cooldownMs, now }: Required<Pick<GuestHubsOptions, "cooldownMs" | "now">>,
): Hub {
  let until = Number.NEGATIVE_INFINITY;
  const guard =
    <Args extends readonly unknown[], Result>(ask: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (now() < until)
        throw new HubError("Unavailable", `the API of ${cluster} did not respond and is skipped for a while`);
      try {
        return await ask(...args);
      } catch (error) {
        const isDead = error instanceof HubError && ["Timeout", "Unavailable"].includes(error.code);
        if (isDead && !isBatchOver()) until = now() + cooldownMs;
        throw error;
      }
    };
  return {
    ...hub,
    get: guard(hub.get),
    list: guard(hub.list),
    create: guard(hub.create),
    update: guard(hub.update),
    updateStatus: guard(hub.updateStatus),
    delete: guard(hub.delete),
  };
}

/** Returns the APIs of hosted clusters. A connection stays open until the cluster's kubeconfig changes. */
export function guestHubs(options: GuestHubsOptions = {}): Guests & Readonly<{ close(): void }> {
  const { requestTimeoutMs = 5_000, cooldownMs = 60_000, capacity = 256, now = Date.now } = options;
  const environment = options.environment ?? {};
  const kept = new LRUCache<string, Kept>({
    max: capacity,
    dispose: ({ opening }) => void opening.then(({ hub }) => hub.close()).catch(() => undefined), // never opened
  });

  async function openGuest(cluster: string, kubeconfig: string): Promise<Open> {
    // Loaded at first use, since the Kubernetes client takes long to load.
    const { guestKubeConfig } = await import("./guest-kube-config.ts");
    const { kubernetesHub } = await import("../kubernetes/kubernetes-hub.ts");
    const connection = { environment, requestTimeoutMs, limits: guestLimits };
    try {
      const hub = kubernetesHub(guestKubeConfig(kubeconfig), connection);
      return { hub, guarded: withCooldown(hub, cluster, { cooldownMs, now }) };
    } catch (error) {
      if (error instanceof GuestError) throw error;
      throw new GuestError("The kubeconfig's credentials cannot be used.");
    }
  }

  function keep(cluster: string, kubeconfig: string): Kept {
    const fingerprint = hash("sha256", kubeconfig);
    const known = kept.get(cluster);
    if (known?.fingerprint === fingerprint) return known;
    const fresh: Kept = { fingerprint, opening: openGuest(cluster, kubeconfig) };
    kept.set(cluster, fresh);
    return fresh;
  }

  return {
    async open(cluster, kubeconfig) {
      const entry = keep(cluster, kubeconfig);
      try {
        entry.open = await entry.opening;
        return entry.open.guarded;
      } catch (error) {
        if (kept.get(cluster) === entry) kept.delete(cluster);
        throw error;
      }
    },

    opened: (cluster) => kept.get(cluster)?.open?.guarded,

    close() {
      kept.clear();
    },
  };
}
