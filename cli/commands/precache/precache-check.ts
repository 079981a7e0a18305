import { setTimeout as sleep } from "node:timers/promises";
import type { ClusterCheck } from "#shared/domain/precache-model/check-record.ts";
import { checkAnnotation } from "#shared/domain/precache-model/upgrade-spec.ts";
import type { ClusterProgress, FleetStatus } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { age, counted } from "#shared/domain/text/human-readable.ts";
import { redactTexts } from "#shared/domain/text/redact.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { print, printMessage, type SafeText, safe } from "../../io/safe-text.ts";
import { tableWithHeadings } from "../../io/table.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { readFleet, requestByAnnotation, requireClusters } from "./upgrade-requests.ts";

export type PrecacheCheckOptions = Readonly<{
  cluster?: readonly string[];
  wait: boolean;
  timeout: number;
}>;

type CheckRequest = Readonly<{
  /** Values of the annotation that requests a check: cluster names, or `all`. */
  wanted: readonly string[];
  fleet: FleetStatus;
  before: readonly ClusterProgress[];
  /** Named clusters that are not checked because they have not succeeded, as `name (state)`. */
  left: readonly string[];
}>;

function requestFor(fleet: FleetStatus, clusters: readonly string[]): CheckRequest {
  requireClusters(fleet, clusters);
  const named = fleet.clusters.filter(({ name }) => clusters.length === 0 || clusters.includes(name));
  const before = named.filter(({ state }) => state === "Succeeded");
  const left = named
    .filter(({ state }) => state !== "Succeeded")
    .map(({ name, state }) => `${name} (${state})`);
  if (before.length === 0)
    throw new UsageError(
      `nothing to check, no cluster has succeeded: ${left.slice(0, maxNames).join(", ")}.`,
    );
  const isOfAll = clusters.length === 0;
  return {
    wanted: isOfAll ? ["all"] : before.map(({ name }) => name),
    fleet,
    before,
    left: isOfAll ? [] : left,
  };
}

/** The result of a check. If the counts are absent, `message` is the reason. */
type CheckedCluster = Readonly<{ name: string; imagesMissing?: number }> &
  Partial<Pick<ClusterCheck, "imagesPresent" | "imagesTotal" | "checked" | "message">>;

const maxNames = 10;
const minPause = 250;
const maxPause = 2_000;

function resultOf(before: ClusterProgress, after: ClusterProgress | undefined): CheckedCluster | undefined {
  const { name } = before;
  const { check, state } = after ?? {};
  if (check?.checked !== undefined && check.checked !== before.check?.checked) {
    const { imagesPresent, imagesTotal, checked, message } = check;
    const counts =
      imagesPresent === undefined || imagesTotal === undefined
        ? {}
        : { imagesPresent, imagesTotal, imagesMissing: imagesTotal - imagesPresent };
    return { name, ...counts, checked, ...(message === undefined ? {} : { message }) };
  }
  return state === "Succeeded"
    ? undefined
    : { name, message: "It is pre-cached again, or no longer planned." };
}

async function resultsOf(
  hub: HubReader,
  { namespace, name }: FleetStatus,
  before: readonly ClusterProgress[],
  timeout: number,
): Promise<readonly CheckedCluster[]> {
  const end = Date.now() + timeout;
  for (let pause = minPause; ; pause = Math.min(maxPause, pause * 1.5)) {
    await sleep(pause);
    const { fleet } = await readFleet(hub, `${namespace}/${name}`);
    const after = new Map(fleet.clusters.map((cluster) => [cluster.name, cluster]));
    const results = before.map((cluster) => resultOf(cluster, after.get(cluster.name)));
    if (results.every((result) => result !== undefined)) return results;
    if (Date.now() >= end)
      return results.map(
        (result, index) =>
          result ?? { name: before[index]?.name ?? "", message: "The check has not ended in time." },
      );
  }
}

function tableOf(results: readonly CheckedCluster[], now: Date): SafeText {
  const rows = results.map(({ name, imagesPresent, imagesTotal, imagesMissing, checked, message = "" }) => [
    name,
    imagesPresent === undefined ? "-" : `${imagesPresent}/${imagesTotal}`,
    imagesMissing === undefined ? "unknown" : String(imagesMissing),
    checked === undefined ? "-" : age(new Date(checked), now),
    message,
  ]);
  return tableWithHeadings(["CLUSTER", "PRESENT", "MISSING", "AGE", "MESSAGE"], rows);
}

/** Runs `hubrelay precache check`. Returns exit code 1 if images are missing, 2 if a cluster's result is unknown. */
export async function precacheCheck(
  named: string,
  { cluster = [], wait, timeout }: PrecacheCheckOptions,
): Promise<number> {
  const results = await onLiveHub(async (hub) => {
    const { fleet, before, left } = await requestByAnnotation(hub, named, checkAnnotation, (found) =>
      requestFor(found, cluster),
    );
    if (left.length > 0) printMessage(safe`not succeeded, and not checked: ${left.join(", ")}`);
    printMessage(safe`${named}: check requested on ${counted(before.length, "cluster")}`);
    return wait ? resultsOf(hub, fleet, before, timeout) : undefined;
  });
  if (!results) return exitCodes.fine;
  print(tableOf(redactTexts(results), new Date()));
  if (results.some(({ imagesMissing = 0 }) => imagesMissing > 0)) return exitCodes.issues;
  const isUnknown = results.some(({ imagesMissing }) => imagesMissing === undefined);
  return isUnknown ? exitCodes.usage : exitCodes.fine;
}
