import { kinds } from "#shared/domain/kubernetes/object.ts";
import { runOf } from "#shared/domain/precache-model/work-identity.ts";
import { type JobReport, withReport } from "../../cli/simulation/reported-status.ts";
import {
  aPlannedUpgrade,
  type PrecacheSystem,
  precacheSystem,
} from "../../test/support/precache/precache-system.ts";
import type { Claim, Row } from "../claim.ts";
import { perCluster, talm } from "../support/talm.ts";

const jobSeconds = 3_600;
const imagesTotal = 180;
/** The interval at which the workload checks its progress, in seconds. */
const checkSeconds = 15;
/** The workload reports its progress when another twentieth of the images is on the node. */
const partOfImages = 1 / 20;
/** The minimum interval at which a work agent reads the managed cluster and writes what has changed, in seconds. */
const agentSeconds = 10;
const agentJitter = 9;
/** An agent adds and removes a finalizer. These writes are not simulated, but are added to the result. */
const finalizerWrites = 2;
const resyncSeconds = 300;
const spreadSeconds = 60;

function reportAt(second: number): JobReport {
  if (second >= jobSeconds) {
    const all = String(imagesTotal);
    return { job: { succeeded: 1, complete: "True" }, progress: { imagesDone: all, imagesTotal: all } };
  }
  const checkedAt = Math.floor(second / checkSeconds) * checkSeconds;
  const done = Math.floor((checkedAt / jobSeconds) * imagesTotal);
  const step = Math.floor(imagesTotal * partOfImages);
  const imagesDone = String(Math.floor(done / step) * step);
  return {
    job: { active: 1 },
    progress: { imagesDone, imagesTotal: String(imagesTotal), reason: "Pulling" },
  };
}

function startAgents(system: PrecacheSystem, clusters: readonly string[]) {
  const states = clusters.map((cluster, index) => ({
    cluster,
    begins: 1 + (index % spreadSeconds),
    pause: agentSeconds + (index % (agentJitter + 1)),
    reported: "",
  }));
  let writes = 0;
  return {
    writes: () => writes,
    tick(second: number): void {
      for (const state of states) {
        if (second < state.begins || (second - state.begins) % state.pause !== 0) continue;
        const [name] = system.jobs.get(state.cluster) ?? [];
        const work = name && system.hub.find(kinds.ManifestWork, name, state.cluster);
        const run = work && runOf(work);
        if (!work || !run) continue;
        const report = reportAt(second - state.begins);
        const text = JSON.stringify(report);
        if (text === state.reported) continue;
        state.reported = text;
        writes++;
        system.hub.put(withReport(work, run, report));
      }
    },
  };
}

const isWrite = (request: string) => !/^(get|list) /.test(request);

function countOf(system: PrecacheSystem, isCounted: (request: string) => boolean): number {
  return [...system.requests]
    .filter(([request]) => isCounted(request))
    .reduce((sum, [, count]) => sum + count, 0);
}

async function rowsOf(count: number): Promise<readonly Row[]> {
  const clusters = Array.from({ length: count }, (_, index) => `sno${index}`);
  const system = precacheSystem();
  const agents = startAgents(system, clusters);
  system.plan(aPlannedUpgrade(clusters));
  const isOver = () =>
    system.condition().startsWith("True PrecachingCompleted") && system.works().length === 0;
  let second = 0;
  for (; !isOver(); second++) {
    if (second > 2 * jobSeconds) throw new Error(`not over after ${second} s: ${system.condition()}`);
    agents.tick(second);
    if (second % resyncSeconds === 0) system.resync();
    await system.settle({ batchSize: 500 });
    system.pass(1);
  }

  const own = countOf(system, isWrite);
  const agent = agents.writes() + finalizerWrites * count;
  const requests = countOf(system, () => true);
  const kindsWritten = Object.fromEntries([...system.requests].filter(([request]) => isWrite(request)));
  const talmWrites = talm.writes + talm.agentWrites;
  const talmRequests = talm.requests + jobSeconds / talm.pollSeconds;
  const subject = `${count.toLocaleString("en")} clusters, Jobs of an hour`;
  return [
    {
      subject: `${subject}: hub writes per cluster, including its agent's`,
      ...perCluster(count, (own + agent) / count, {
        unit: "writes",
        ofTalm: talmWrites,
        bound: talmWrites / 2,
      }),
      numbers: {
        writesPerCluster: (own + agent) / count,
        agentWritesPerCluster: agent / count,
        ...kindsWritten,
      },
    },
    {
      subject: `${subject}: hub writes of hubrelay per cluster`,
      // Some writes serve all clusters, so each cluster of a large fleet has a small part of them.
      ...perCluster(count, own / count, { unit: "writes", ofTalm: talm.writes, bound: 3 }),
      numbers: { ownWritesPerCluster: own / count, simulatedSeconds: second },
    },
    {
      subject: `${subject}: hub requests of hubrelay per cluster`,
      ...perCluster(count, requests / count, { unit: "requests", ofTalm: talmRequests, bound: 18 }),
      numbers: { requestsPerCluster: requests / count },
    },
  ];
}

export const precacheHour: Claim = {
  name: "precache-hour",
  goal:
    "while a Job pulls for an hour and reports every twentieth, a cluster costs the hub at most half the writes of TALM " +
    "and its agents for a Job of 20 s; in a large fleet hubrelay writes at most 3 times per cluster (a simulated hour)",
  async run({ smoke }) {
    const rows: Row[] = [];
    for (const count of smoke ? [20] : [50, 3_500]) rows.push(...(await rowsOf(count)));
    return rows;
  },
};
