import { countOf } from "../../cli/simulation/counted-hub.ts";
import { type FleetRun, runFleet } from "../../cli/simulation/run-fleet.ts";
import type { Claim, Row } from "../claim.ts";

/** Requests of TALM a cluster for a Job of 20 s, measured with 50 clusters on a real API server. */
const talmRequests = 62;
const seed = 1;

function rowsOf(clusters: number, run: FleetRun): readonly Row[] {
  const subject = `${clusters.toLocaleString("en")} clusters`;
  const { requests, requestsPerCluster, statusWrites, lastStarted, known95, knownLongest, peakMiB, wall } =
    run;
  const count = (verb: string) => countOf(requests, verb);
  return [
    {
      subject: `${subject}: hub requests a cluster`,
      against: `TALM's ${talmRequests}`,
      ratio: requestsPerCluster / talmRequests,
      // A handful of requests a second serve all clusters, which few clusters cannot share.
      ...(clusters >= 500 ? { goal: { atMost: 3 / talmRequests } } : {}),
      numbers: {
        requestsPerCluster,
        creates: count("create"),
        deletes: count("delete"),
        reads: count("get") + count("list"),
        statusWrites,
        wallSeconds: wall,
        peakMiB,
      },
    },
    {
      subject: `${subject}: the last one started after the plan`,
      against: "60 s",
      ratio: lastStarted / 60,
      goal: { atMost: 1 },
      numbers: { lastStartedSeconds: lastStarted },
    },
    {
      subject: `${subject}: a result in the status after the agent's report`,
      against: "2 s",
      ratio: known95 / 2,
      goal: { atMost: 1 },
      numbers: { known95Seconds: known95, knownLongestSeconds: knownLongest },
    },
  ];
}

export const precacheFleet: Claim = {
  name: "precache-fleet",
  goal:
    "a fleet with 2 % failing Jobs, 2 % offline for a while and 1 % never back ends right, with one Job a cluster and " +
    "at most 3 hub requests a cluster, everything shared included; the last starts within 60 s, results are known in 2",
  async run({ smoke }) {
    const rows: Row[] = [];
    for (const clusters of smoke ? [50] : [50, 500, 3_500])
      rows.push(...rowsOf(clusters, await runFleet({ clusters, seed })));
    return rows;
  },
};
