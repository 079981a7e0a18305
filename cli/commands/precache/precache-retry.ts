import type { FleetStatus } from "#shared/domain/precache/fleet/fleet-status.ts";
import { isFinalState } from "#shared/domain/precache/model/cluster-state.ts";
import { retryAnnotation } from "#shared/domain/precache/progress/retry.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { print, printMessage, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { hubOnly } from "../../program/hub-location.ts";
import { requestByAnnotation, requireClusters } from "./upgrade-requests.ts";

export type PrecacheRetryOptions = Readonly<{
  cluster?: readonly string[];
  namespace?: string;
  output: "table" | StructuredFormat;
}>;

type RetryRequest = Readonly<{
  /** New values of the annotation: names, or `failed`; empty if there is nothing to retry. */
  wanted: readonly string[];
  /** Named clusters that have not ended, with their states: they are not changed. */
  underWay: readonly string[];
}>;

/** Returns what to request on this fleet. Throws `UsageError` for clusters that are not part of it. */
function requestFor(fleet: FleetStatus, clusters: readonly string[]): RetryRequest {
  requireClusters(fleet, clusters);
  const stateOf = new Map(fleet.clusters.map(({ name, state }) => [name, state]));
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
  const { wanted, underWay } = await onLiveHub(
    (hub) =>
      requestByAnnotation(hub, { named, namespace }, retryAnnotation, (fleet) => requestFor(fleet, cluster)),
    hubOnly,
  );
  if (underWay.length > 0) printMessage(safe`not ended, and not changed: ${underWay.join(", ")}`);
  print(
    rendered({ cgu: named, requested: wanted, underWay }, output, ({ cgu, requested }) =>
      requested.length > 0
        ? safe`${cgu}: retry requested: ${requested.join(", ")}\n`
        : safe`${cgu}: nothing to retry\n`,
    ),
  );
  return exitCodes.fine;
}
