import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { fleetStatus } from "#shared/domain/precache/progress/fleet-status.ts";
import { print, type SafeText, safe } from "../../io/safe-text.ts";
import { table } from "../../io/table.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { countOf } from "../../simulation/counted-hub.ts";
import { runFleet } from "../../simulation/run-fleet.ts";
import { statusTable } from "../precache/status-table.ts";

export type SimulateOptions = Readonly<{ simulate: number; seed: number; maxConcurrency?: number }>;

const requestVerbs = ["get", "list", "watch", "create", "update", "update-status", "delete"] as const;
/** The time between two progress lines. */
const printMs = 1_000;

type Latest = Readonly<{ cgu: KubernetesObject; reports: readonly KubernetesObject[] }>;

/** Renders the fleet; empty before it is planned. */
function tableOf({ cgu, reports }: Latest, now: Date): SafeText {
  const status = fleetStatus(cgu, reports, now);
  return status ? statusTable(status, now) : safe``;
}

/**
 * Runs `hubrelay dev --simulate N`: pre-caches a simulated fleet with the functions of a deployment on a hub in memory,
 * and prints its progress and the requests to the hub. Returns the exit code; throws if a cluster ends in a wrong state.
 */
export async function simulateFleet({ simulate, seed, maxConcurrency }: SimulateOptions): Promise<number> {
  let printedAt = 0;
  let latest: Latest | undefined;
  const run = await runFleet({
    clusters: simulate,
    seed,
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    onStatus(cgu, reports) {
      const now = new Date();
      latest = { cgu, reports };
      if (now.getTime() - printedAt < printMs) return;
      printedAt = now.getTime();
      const [, bar = "", states = ""] = tableOf(latest, now).toString().split("\n");
      if (!bar) return;
      print(safe`${bar}  (${states.trim()})\n`);
    },
  });
  const seconds = (value: number) => `${value.toFixed(1)} s`;
  const verbs = requestVerbs.map((verb) => `${countOf(run.requests, verb)} ${verb}`).join(", ");
  print(safe`\n${latest ? tableOf(latest, new Date()) : ""}\n`);
  print(
    table([
      ["hub requests", `${run.requestsPerCluster.toFixed(2)} a cluster (${verbs})`],
      ["last one started", `${seconds(run.lastStarted)} after the plan`],
      [
        "results known",
        `${seconds(run.known95)} after the report (95 %), ${seconds(run.knownLongest)} at most`,
      ],
      ["status writes", String(run.statusWrites)],
      ["memory", `${run.peakMiB.toFixed(0)} MiB at most, clusters and queues included`],
    ]),
  );
  return exitCodes.fine;
}
