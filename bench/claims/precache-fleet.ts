import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { countOf } from "../../cli/simulation/counted-hub.ts";
import { fleetQueues } from "../../cli/simulation/fleet-system.ts";
import { type FleetRun, runFleet } from "../../cli/simulation/run-fleet.ts";
import type { Claim, Row } from "../claim.ts";
import { median } from "../measure.ts";
import { runRounds } from "../support/fleet-rounds.ts";
import { startQueueServer } from "../support/queue-server.ts";
import { perCluster, talm } from "../support/talm.ts";

/** The maximum per cluster: create, read and delete its ManifestWork, and its part of the requests for all clusters. */
const maxRequests = 3.3;
const maxRequestsOfFewer = 5;
const seed = 1;

function rowsOf(clusters: number, run: FleetRun): readonly Row[] {
  const subject = `${clusters.toLocaleString("en")} clusters`;
  const { requests, requestsPerCluster, statusWrites, lastStarted, known95, knownLongest } = run;
  const count = (verb: string) => countOf(requests, verb);
  return [
    {
      subject: `${subject}: hub requests per cluster, ${requestsPerCluster.toFixed(2)}`,
      // Some requests serve all clusters, so each cluster of a smaller fleet has a larger part of them.
      ...perCluster(clusters, requestsPerCluster, {
        unit: "requests",
        ofTalm: talm.requests,
        bound: clusters >= 3_500 ? maxRequests : maxRequestsOfFewer,
      }),
      numbers: {
        requestsPerCluster,
        requests: countOf(requests),
        creates: count("create"),
        deletes: count("delete"),
        reads: count("get") + count("list"),
        statusWrites,
        wallSeconds: run.wall,
        processorSeconds: run.processor,
        peakMiB: run.peakMiB,
      },
    },
    {
      subject: `${subject}: the last one started after the plan`,
      against: "60 s",
      ratio: lastStarted / 60,
      measures: "wall time",
      goal: { atMost: 1 },
      numbers: { lastStartedSeconds: lastStarted },
    },
    {
      subject: `${subject}: a result in the upgrade's status after the agent's report, 95 %`,
      against: "2 s",
      ratio: known95 / 2,
      measures: "wall time",
      goal: { atMost: 1 },
      numbers: { known95Seconds: known95, knownLongestSeconds: knownLongest },
    },
  ];
}

function growthOf(runs: readonly (readonly [clusters: number, run: FleetRun])[]): readonly Row[] {
  return runs.slice(1).flatMap(([clusters, run], index): Row[] => {
    const [fewer, before] = runs[index] ?? [clusters, run];
    const growth = countOf(run.requests) / countOf(before.requests);
    return [
      {
        subject: `hub requests from ${fewer} to ${clusters.toLocaleString("en")} clusters, ${growth.toFixed(1)} times`,
        against: `${(clusters / fewer).toFixed(1)} times as many clusters`,
        ratio: growth / (clusters / fewer),
        measures: "count",
        goal: { atMost: 1 },
        numbers: { growth, clustersGrowth: clusters / fewer },
      },
    ];
  });
}

function reachableMiB(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

async function memoryRow(clusters: number, rounds: number): Promise<Row> {
  await using cleanup = new AsyncDisposableStack();
  const messaging = cleanup.adopt(await startQueueServer(fleetQueues), (server) => server.stop());
  const after: number[] = [];
  await runRounds({ clusters, rounds, messaging, onRound: () => after.push(reachableMiB()) });
  // The first round is not compared, since it also loads code.
  const [, ...settled] = after;
  const half = Math.ceil(settled.length / 2);
  const early = median(settled.slice(0, half));
  const late = median(settled.slice(-half));
  return {
    subject: `memory after ${rounds} upgrades of ${clusters} clusters, one after another`,
    against: "after the first of them",
    ratio: late / early,
    measures: "bytes",
    goal: { atMost: 1.1 },
    numbers: { lateMiB: late, earlyMiB: early },
  };
}

async function fleetOf(clusters: number): Promise<FleetRun> {
  await using cleanup = new AsyncDisposableStack();
  const messaging = cleanup.adopt(await startQueueServer(fleetQueues), (server) => server.stop());
  return await runFleet({ clusters, seed, messaging });
}

export const precacheFleet: Claim = {
  name: "precache-fleet",
  goal:
    "a fleet with 2 % failing Jobs, 2 % offline temporarily and 1 % permanently ends as expected, with one Job per cluster and " +
    `at most ${maxRequests} hub requests for each of 3,500 clusters, including shared ones; the last starts within 60 s, results are known in ` +
    "2; memory stays flat. Clusters, Jobs and pulls are simulated; processing, queues and all times above are real. Only " +
    "the wait for the deadline of clusters that stay offline is skipped, after all other results are known",
  async run({ smoke }) {
    const runs: (readonly [number, FleetRun])[] = [];
    for (const clusters of smoke ? [50] : [50, 500, 3_500]) runs.push([clusters, await fleetOf(clusters)]);
    return [
      ...runs.flatMap(([clusters, run]) => rowsOf(clusters, run)),
      ...growthOf(runs),
      await memoryRow(smoke ? 50 : 500, smoke ? 3 : 9),
    ];
  },
};
