import { createHash } from "node:crypto";
import { GuestError, type Guests } from "../../../ports/guests.ts";
import { type Hub, HubError } from "../../../ports/hub.ts";
import type { Environment } from "../../settings/environment.ts";
import type { KubernetesHub } from "../kubernetes/kubernetes-hub.ts";

export type GuestHubsOptions = Readonly<{
  /** For one request to a guest: less than the hub gets, since one dead guest must delay nobody. */
  requestTimeoutMs?: number;
  /** How long a guest that did not answer is not asked again. */
  restMs?: number;
  /** Guests that are kept open; the least recently used is closed. */
  capacity?: number;
  environment?: Environment;
  now?: () => number;
}>;

type Open = Readonly<{ hub: KubernetesHub; guarded: Hub }>;
type Kept = { readonly fingerprint: string; readonly opening: Promise<Open>; open?: Open };

/**
 * A guest's API that fails at once while it rests. A guest that did not answer in time, or cannot be reached, rests;
 * whatever it answers, a refusal as well, shows that it lives.
 */
function resting(
  hub: Hub,
  cluster: string,
  { restMs, now }: Required<Pick<GuestHubsOptions, "restMs" | "now">>,
): Hub {
  let until = Number.NEGATIVE_INFINITY;
  const guard =
    <Args extends readonly unknown[], Result>(ask: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (now() < until)
        throw new HubError(
          "Unavailable",
          `the API of ${cluster} did not answer and is left alone for a while`,
        );
      try {
        return await ask(...args);
      } catch (error) {
        const isDead = error instanceof HubError && ["Timeout", "Unavailable"].includes(error.code);
        if (isDead) until = now() + restMs;
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

/** The API servers of hosted clusters over HTTPS, kept open per cluster for as long as its kubeconfig is the same. */
export function guestHubs(options: GuestHubsOptions = {}): Guests & Readonly<{ close(): void }> {
  const { requestTimeoutMs = 5_000, restMs = 60_000, capacity = 256, now = Date.now } = options;
  const environment = options.environment ?? {};
  const kept = new Map<string, Kept>();

  async function openAnew(cluster: string, kubeconfig: string): Promise<Open> {
    // The Kubernetes client takes longer to load than the rest of a process.
    const { guestKubeConfig } = await import("./guest-kube-config.ts");
    const { kubernetesHub } = await import("../kubernetes/kubernetes-hub.ts");
    try {
      const hub = kubernetesHub(guestKubeConfig(kubeconfig), { environment, requestTimeoutMs });
      return { hub, guarded: resting(hub, cluster, { restMs, now }) };
    } catch (error) {
      if (error instanceof GuestError) throw error;
      throw new GuestError("The kubeconfig's credentials cannot be used.");
    }
  }

  function forget(cluster: string): void {
    const closed = kept.get(cluster);
    kept.delete(cluster);
    closed?.opening.then(({ hub }) => hub.close()).catch(() => undefined); // it was never open
  }

  /** The guest that is open or about to be, for whoever has the same kubeconfig. */
  function keep(cluster: string, kubeconfig: string): Kept {
    const fingerprint = createHash("sha256").update(kubeconfig).digest("hex");
    const known = kept.get(cluster);
    if (known?.fingerprint === fingerprint) {
      kept.delete(cluster);
      kept.set(cluster, known);
      return known;
    }
    forget(cluster);
    const fresh: Kept = { fingerprint, opening: openAnew(cluster, kubeconfig) };
    kept.set(cluster, fresh);
    for (const oldest of kept.keys()) {
      if (kept.size <= capacity) break;
      forget(oldest);
    }
    return fresh;
  }

  return {
    async open(cluster, kubeconfig) {
      const keeping = keep(cluster, kubeconfig);
      try {
        keeping.open = await keeping.opening;
        return keeping.open.guarded;
      } catch (error) {
        if (kept.get(cluster) === keeping) kept.delete(cluster);
        throw error;
      }
    },

    opened: (cluster) => kept.get(cluster)?.open?.guarded,

    close() {
      for (const cluster of [...kept.keys()]) forget(cluster);
    },
  };
}
