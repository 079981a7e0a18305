import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import { retryAnnotation } from "#shared/domain/precache-model/upgrade-spec.ts";
import type { FleetStatus } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { print, printMessage, safe } from "../../io/safe-text.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { readFleet, requestByAnnotation, requireClusters } from "./upgrade-requests.ts";

export type PrecacheRetryOptions = Readonly<{
  cluster?: readonly string[];
  dryRun?: boolean;
}>;

type RetryRequest = Readonly<{
  /** New values of the annotation for retries: cluster names, or `failed`; empty if there is nothing to retry. */
  wanted: readonly string[];
  clusters: readonly string[];
  /** Named clusters that have not ended, as `name (state)`; no retry is requested for them. */
  underWay: readonly string[];
}>;

function requestFor(fleet: FleetStatus, clusters: readonly string[]): RetryRequest {
  requireClusters(fleet, clusters);
  const stateOf = new Map(fleet.clusters.map(({ name, state }) => [name, state]));
  const hasEnded = (cluster: string) => isFinalState(stateOf.get(cluster));
  if (clusters.length > 0) {
    const ended = clusters.filter(hasEnded);
    const underWay = clusters
      .filter((cluster) => !hasEnded(cluster))
      .map((cluster) => `${cluster} (${stateOf.get(cluster) ?? ""})`);
    return { wanted: ended, clusters: ended, underWay };
  }
  const failed = [...stateOf.keys()].filter(
    (cluster) => hasEnded(cluster) && stateOf.get(cluster) !== "Succeeded",
  );
  return { wanted: failed.length > 0 ? ["failed"] : [], clusters: failed, underWay: [] };
}

/** Runs `hubrelay precache retry`: requests another attempt on ended clusters. Returns the exit code. */
export async function precacheRetry(
  named: string,
  { cluster = [], dryRun = false }: PrecacheRetryOptions,
): Promise<number> {
  const { wanted, clusters, underWay } = await onLiveHub(async (hub) =>
    dryRun
      ? requestFor((await readFleet(hub, named)).fleet, cluster)
      : requestByAnnotation(hub, named, retryAnnotation, (fleet) => requestFor(fleet, cluster)),
  );
  if (underWay.length > 0) printMessage(safe`not ended, and not changed: ${underWay.join(", ")}`);
  const verb = dryRun ? "would be requested" : "requested";
  print(
    wanted.length === 0
      ? safe`${named}: nothing to retry\n`
      : safe`${named}: retry ${verb} on ${counted(clusters.length, "cluster")}: ${clusters.join(", ")}\n`,
  );
  return exitCodes.fine;
}
