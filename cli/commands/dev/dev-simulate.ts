import { type KubernetesObject, timestamp } from "#shared/domain/kubernetes/object.ts";
import { fleetStatus } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { shellWord } from "#shared/domain/text/human-readable.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { RunningConsole } from "../../../console/server/start-console.ts";
import { print, type SafeText, safe } from "../../io/safe-text.ts";
import { table } from "../../io/table.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { countOf } from "../../simulation/counted-hub.ts";
import { keepHub } from "../../simulation/fleet-objects.ts";
import { runFleet } from "../../simulation/run-fleet.ts";
import { pagesHint, startDevConsole } from "../console/dev-console.ts";
import { statusTable } from "../precache/status-table.ts";
import { nextCommands } from "./dev-view.ts";
import { makeEmptyFolder, shown } from "./hub-folder.ts";

export type SimulateOptions = Readonly<{
  simulate: number;
  seed: number;
  console?: boolean;
  /** The folder to which the hub's objects are written at the end; absent to write nothing. */
  hub?: string | undefined;
}>;

const requestVerbs = ["get", "list", "watch", "create", "update", "update-status", "delete"] as const;
const shownMs = 1_000;

type Latest = Readonly<{ cgu: KubernetesObject; reports: readonly KubernetesObject[] }>;

function tableOf({ cgu, reports }: Latest, now: Date): SafeText {
  const status = fleetStatus(cgu, reports, now);
  return status ? statusTable(status, now) : safe``;
}

function printProgress(latest: Latest, now: Date): void {
  const [, bar = "", states = ""] = tableOf(latest, now).toString().split("\n");
  if (bar) print(safe`${timestamp(now)} ${bar}  (${states.trim()})\n`);
}

/** Runs `hubrelay dev --simulate N`: pre-caches a simulated fleet on a hub in memory. Returns the exit code. */
export async function simulateFleet(options: SimulateOptions): Promise<number> {
  const { simulate, seed, console: hasConsole = false } = options;
  const directory = options.hub;
  if (directory !== undefined) await makeEmptyFolder(directory);
  let simulated: Hub | undefined;
  let pages: RunningConsole | undefined;
  let shownAt = 0;
  let latest: Latest | undefined;
  const run = await runFleet({
    clusters: simulate,
    seed,
    async onHub(hub) {
      simulated = hub;
      if (!hasConsole) return;
      pages = await startDevConsole(hub);
      print(safe`${pagesHint(pages)}\n`);
    },
    onStatus(cgu, reports) {
      const now = new Date();
      latest = { cgu, reports };
      if (now.getTime() - shownAt < shownMs) return;
      shownAt = now.getTime();
      printProgress(latest, now);
    },
  }).finally(() => pages?.close());
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
  if (simulated && directory !== undefined) {
    await keepHub(simulated, directory);
    const location = shellWord(`directory:${directory}`);
    print(safe`\nThe hub is kept in ${shown(directory)}: export HUBRELAY_HUB=${location}\n`);
  }
  print(safe`\nOn your own hub: ${nextCommands().join(", then ")}\n`);
  return exitCodes.fine;
}
