import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { runOf } from "#shared/domain/precache/work/work-identity.ts";
import { type JobReport, withReport } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../../test/support/precache-system.ts";
import type { Claim, Row } from "../claim.ts";

/**
 * The Topology Aware Lifecycle Manager, a cluster: requests of its controller for a Job of 20 s, of these creates and
 * deletes, one more look every 30 s, and what agents and garbage collection write besides. Measured with 50 clusters on
 * a real API server; the looks of an hour are computed.
 */
const talm = { requests: 62, writes: 15 + 23, lookSeconds: 30, agentWrites: 9 + 11 + 7 } as const;

const jobSeconds = 3_600;
const imagesTotal = 180;
/** The workload's own budget: it looks so often, and tells when a twentieth more is done. */
const lookSeconds = 15;
const partOfImages = 1 / 20;
/** A work agent reads the managed cluster every so many seconds and writes what has changed. */
const agentSeconds = 10;
const agentJitter = 9;
/** An agent puts its finalizer onto a ManifestWork and takes it off; this is counted and not simulated. */
const finalizerWrites = 2;
/** How long the tick of a deployment takes to come round. */
const resyncSeconds = 300;
/** In its first minute a Job is made and its pod started; each cluster's at its own second. */
const spreadSeconds = 60;

/** What the workload has told by this second of its Job, in steps of its budget. */
function toldBy(second: number): JobReport {
  if (second >= jobSeconds) {
    const all = String(imagesTotal);
    return { job: { succeeded: 1, complete: "True" }, progress: { imagesDone: all, imagesTotal: all } };
  }
  const looked = Math.floor(second / lookSeconds) * lookSeconds;
  const done = Math.floor((looked / jobSeconds) * imagesTotal);
  const step = Math.floor(imagesTotal * partOfImages);
  const imagesDone = String(Math.floor(done / step) * step);
  return {
    job: { active: 1 },
    progress: { imagesDone, imagesTotal: String(imagesTotal), reason: "Pulling" },
  };
}

/** An agent on its cluster: the ManifestWork's status follows the Job, seconds later. Answers how often it wrote. */
function startAgents(system: PrecacheSystem, clusters: readonly string[]) {
  const states = clusters.map((cluster, index) => ({
    cluster,
    begins: 1 + (index % spreadSeconds),
    pause: agentSeconds + (index % (agentJitter + 1)),
    told: "",
  }));
  let writes = 0;
  return {
    writes: () => writes,
    /** All that the agents do in this second. */
    look(second: number): void {
      for (const state of states) {
        if (second < state.begins || (second - state.begins) % state.pause !== 0) continue;
        const [name] = system.jobs.get(state.cluster) ?? [];
        const work = name && system.hub.find(kinds.ManifestWork, name, state.cluster);
        const run = work && runOf(work);
        if (!work || !run) continue;
        const report = toldBy(second - state.begins);
        const told = JSON.stringify(report);
        if (told === state.told) continue;
        state.told = told;
        writes++;
        system.hub.put(withReport(work, run, report));
      }
    },
  };
}

const isWrite = (request: string) => !/^(get|list) /.test(request);

/** Requests of the functions, by what they are. */
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
    agents.look(second);
    if (second % resyncSeconds === 0) system.resync();
    await system.settle({ batchSize: 500 });
    system.pass(1);
  }

  const own = countOf(system, isWrite);
  const agent = agents.writes() + finalizerWrites * count;
  const requests = countOf(system, () => true);
  const kindsWritten = Object.fromEntries([...system.requests].filter(([request]) => isWrite(request)));
  const talmWrites = talm.writes + talm.agentWrites;
  const talmRequests = talm.requests + jobSeconds / talm.lookSeconds;
  const subject = `${count.toLocaleString("en")} clusters, Jobs of an hour`;
  return [
    {
      subject: `${subject}: hub writes a cluster, its agent's included`,
      against: `TALM's ${talmWrites} for 20 s`,
      ratio: (own + agent) / count / talmWrites,
      goal: { atMost: 0.5 },
      numbers: {
        writesPerCluster: (own + agent) / count,
        agentWritesPerCluster: agent / count,
        ...kindsWritten,
      },
    },
    {
      subject: `${subject}: hub writes a cluster by hubrelay`,
      against: `TALM's controller's ${talm.writes}`,
      ratio: own / count / talm.writes,
      // What all share is little for each of many.
      ...(count >= 500 ? { goal: { atMost: 3 / talm.writes } } : {}),
      numbers: { ownWritesPerCluster: own / count, simulatedSeconds: second },
    },
    {
      subject: `${subject}: hub requests a cluster by hubrelay`,
      against: `TALM's controller's ${talmRequests}`,
      ratio: requests / count / talmRequests,
      ...(count >= 500 ? { goal: { atMost: 0.1 } } : {}),
      numbers: { requestsPerCluster: requests / count },
    },
  ];
}

export const precacheHour: Claim = {
  name: "precache-hour",
  goal:
    "while a Job pulls for an hour and tells every twentieth, a cluster costs the hub at most half the writes that TALM, its " +
    "agents included, makes of one of 20 s; of a large fleet hubrelay writes at most 3 a cluster (a simulated hour)",
  async run({ smoke }) {
    const rows: Row[] = [];
    for (const count of smoke ? [20] : [50, 3_500]) rows.push(...(await rowsOf(count)));
    return rows;
  },
};
