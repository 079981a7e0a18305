import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache/model/cluster-state.ts";
import { fleetStatus } from "#shared/domain/precache/progress/fleet-status.ts";
import { retryAnnotation } from "#shared/domain/precache/progress/retry.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";
import { changeLiveHub } from "../../io/live-hub.ts";
import { print, printMessage, safe } from "../../io/safe-text.ts";
import { type StructuredFormat, structured } from "../../io/structured-output.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";

export type PrecacheRetryOptions = Readonly<{
  cluster?: readonly string[];
  namespace?: string;
  output: "table" | StructuredFormat;
}>;

const attempts = 10;

async function find(hub: Hub, named: string, namespace: string | undefined): Promise<KubernetesObject> {
  const listed = await hub.list(kinds.ClusterGroupUpgrade, namespace === undefined ? {} : { namespace });
  const found = listed.filter(
    ({ metadata }) => named === metadata.name || named === `${metadata.namespace}/${metadata.name}`,
  );
  const [cgu] = found;
  if (!cgu) throw new UsageError(`no such ClusterGroupUpgrade: ${named}`);
  if (found.length > 1) throw new UsageError(`several namespaces have a ${named}; add one with -n.`);
  return cgu;
}

type RetryRequest = Readonly<{
  /** New values of the annotation: names, or `failed`; empty if there is nothing to retry. */
  wanted: readonly string[];
  /** Named clusters that have not ended, with their states: they are not changed. */
  underWay: readonly string[];
}>;

/** Returns what to request on this fleet. Throws `UsageError` for clusters that are not part of it. */
async function requestFor(
  hub: Hub,
  cgu: KubernetesObject,
  clusters: readonly string[],
): Promise<RetryRequest> {
  const fleet = fleetStatus(cgu, await hub.list(kinds.PreCachingReport), new Date());
  if (!fleet) throw new UsageError(`${cgu.metadata.name} is not pre-cached by hubrelay.`);
  const stateOf = new Map(fleet.clusters.map(({ name, state }) => [name, state]));
  const unknown = clusters.find((cluster) => !stateOf.has(cluster));
  if (unknown) throw new UsageError(`${cgu.metadata.name} does not pre-cache ${unknown}.`);
  const hasEnded = (cluster: string) => isFinalState(stateOf.get(cluster));
  if (clusters.length > 0)
    return {
      wanted: clusters.filter(hasEnded),
      underWay: clusters
        .filter((cluster) => !hasEnded(cluster))
        .map((cluster) => `${cluster} (${stateOf.get(cluster) ?? ""})`),
    };
  const hasFailed = [...stateOf].some(([name, state]) => hasEnded(name) && state !== "Succeeded");
  return { wanted: hasFailed ? ["failed"] : [], underWay: [] };
}

/**
 * Runs `hubrelay precache retry`: requests another attempt on clusters that have ended, by an annotation on their
 * ClusterGroupUpgrade. Keeps earlier requests that are not in progress yet. Names clusters that have not ended, and does
 * not change them.
 */
export async function precacheRetry(
  named: string,
  { cluster = [], namespace, output }: PrecacheRetryOptions,
): Promise<number> {
  const { wanted, underWay } = await changeLiveHub(async (hub) => {
    for (let attempt = 1; ; attempt++) {
      const cgu = await find(hub, named, namespace);
      const request = await requestFor(hub, cgu, cluster);
      const { wanted } = request;
      if (wanted.length === 0) return request;
      const requested = cgu.metadata.annotations?.[retryAnnotation]?.split(",") ?? [];
      const text = [...new Set([...requested, ...wanted])].join(",");
      const annotations = { ...cgu.metadata.annotations, [retryAnnotation]: text };
      try {
        await hub.update({ ...cgu, metadata: { ...cgu.metadata, annotations } });
        return request;
      } catch (error) {
        if (!(error instanceof HubError && error.code === "Conflict") || attempt >= attempts) throw error;
      }
    }
  });
  if (underWay.length > 0) printMessage(safe`not ended, and not changed: ${underWay.join(", ")}`);
  const text =
    wanted.length > 0
      ? safe`${named}: retry requested: ${wanted.join(", ")}\n`
      : safe`${named}: nothing to retry\n`;
  print(output === "table" ? text : structured({ cgu: named, requested: wanted, underWay }, output));
  return exitCodes.fine;
}
