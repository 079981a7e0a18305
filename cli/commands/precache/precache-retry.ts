import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import { retryAnnotation } from "#shared/domain/precache-model/upgrade-spec.ts";
import type { FleetStatus } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { print, printMessage, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { hubOnly } from "../../program/hub-location.ts";
import { readFleet, requestByAnnotation, requireClusters } from "./upgrade-requests.ts";

export type PrecacheRetryOptions = Readonly<{
  cluster?: readonly string[];
  output: "table" | StructuredFormat;
  dryRun?: boolean;
}>;

type RetryRequest = Readonly<{
  /** New values of the annotation: cluster names, or `failed`; empty if there is nothing to retry. */
  wanted: readonly string[];
  clusters: readonly string[];
  /** Named clusters that have not ended, with their states; their requests do not change. */
  underWay: readonly string[];
}>;

/** Returns the request for this fleet. Throws `UsageError` for clusters that do not belong to it. */
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

/** The most names in a line: thousands of clusters may have failed. */
const maxNames = 10;

/** Renders the request of a dry run; JSON has every cluster. */
function dryText(cgu: string, clusters: readonly string[]): SafeText {
  const more = clusters.length > maxNames ? `, and ${clusters.length - maxNames} more` : "";
  return safe`${cgu}: would request a retry of ${counted(clusters.length, "cluster")}: ${clusters.slice(0, maxNames).join(", ")}${more}\n`;
}

/**
 * Runs `hubrelay precache retry`: requests another attempt on ended clusters, by an annotation on their
 * ClusterGroupUpgrade. Keeps earlier requests that are not in progress yet. Reports clusters that have not ended, and
 * leaves them unchanged. With `dryRun`, only reports the request.
 */
export async function precacheRetry(
  named: string,
  { cluster = [], output, dryRun = false }: PrecacheRetryOptions,
): Promise<number> {
  const { wanted, clusters, underWay } = await onLiveHub(
    async (hub) =>
      dryRun
        ? requestFor((await readFleet(hub, named)).fleet, cluster)
        : requestByAnnotation(hub, named, retryAnnotation, (fleet) => requestFor(fleet, cluster)),
    hubOnly,
  );
  if (underWay.length > 0) printMessage(safe`not ended, and not changed: ${underWay.join(", ")}`);
  const found = { cgu: named, requested: wanted, underWay, ...(dryRun ? { dryRun, clusters } : {}) };
  print(
    rendered(found, output, ({ cgu, requested }) => {
      if (requested.length === 0) return safe`${cgu}: nothing to retry\n`;
      return dryRun ? dryText(cgu, clusters) : safe`${cgu}: retry requested: ${requested.join(", ")}\n`;
    }),
  );
  return exitCodes.fine;
}
