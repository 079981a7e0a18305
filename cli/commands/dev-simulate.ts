import { fleetStatus } from "#shared/domain/precache/progress/fleet-status.ts";
import { exitCodes } from "../exit-codes.ts";
import { fleetTable } from "../fleet-table.ts";
import { runFleet } from "../simulation/run-fleet.ts";
import { table } from "../table.ts";

export type SimulateOptions = Readonly<{ simulate: number; seed: number; maxConcurrency?: number }>;

/** Whoever looks on reads no faster. */
const tellMs = 1_000;

/**
 * `hubrelay dev --simulate N`: pre-caches a simulated fleet with the functions of a deployment on a hub in memory,
 * tells how it goes, and what it cost the hub. Answers the exit code; throws when a cluster ended wrong.
 */
export async function simulateFleet({ simulate, seed, maxConcurrency }: SimulateOptions): Promise<number> {
  let told = 0;
  let last = "";
  const run = await runFleet({
    clusters: simulate,
    seed,
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    onStatus(cgu, reports) {
      const now = new Date();
      const status = fleetStatus(cgu, reports, now);
      if (!status) return;
      last = fleetTable(status, now);
      if (now.getTime() - told < tellMs) return;
      told = now.getTime();
      const [, bar = "", states = ""] = last.split("\n");
      console.log(`${bar}  (${states.trim()})`);
    },
  });
  const seconds = (value: number) => `${value.toFixed(1)} s`;
  const verbs = [...run.requests].map(([verb, count]) => `${count} ${verb}`).join(", ");
  process.stdout.write(`\n${last}\n`);
  process.stdout.write(
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
