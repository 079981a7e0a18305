import { loadavg } from "node:os";
import { runScript } from "../infra/npm-script.ts";
import { type Claim, type Row, verdict } from "./claim.ts";
import { changeToWrite } from "./claims/change-to-write.ts";
import { coldStart } from "./claims/cold-start.ts";
import { consoleClaim } from "./claims/console.ts";
import { events } from "./claims/events.ts";
import { firstMinutes } from "./claims/first-minutes.ts";
import { forwarder } from "./claims/forwarder.ts";
import { hostedClustersClaim } from "./claims/hosted-clusters.ts";
import { mirrorConfigs } from "./claims/mirror-configs.ts";
import { nodeFiles } from "./claims/node-files.ts";
import { oneProcess } from "./claims/one-process.ts";
import { patternsLinear } from "./claims/patterns-linear.ts";
import { precacheFleet } from "./claims/precache-fleet.ts";
import { precacheForecast } from "./claims/precache-forecast.ts";
import { precacheHour } from "./claims/precache-hour.ts";
import { precachePull } from "./claims/precache-pull.ts";
import { precacheRequests } from "./claims/precache-requests.ts";
import { readyClaim } from "./claims/ready.ts";
import { restarts } from "./claims/restarts.ts";
import { validateManifests } from "./claims/validate-manifests.ts";
import { version } from "./claims/version.ts";
import { benchOptions } from "./options.ts";
import { record } from "./record.ts";
import { type ClaimResult, table } from "./table.ts";

const claims: readonly Claim[] = [
  // This claim runs first: after the large inputs of other claims, hubrelay handles a single event more slowly.
  events,
  mirrorConfigs,
  hostedClustersClaim,
  nodeFiles,
  patternsLinear,
  forwarder,
  changeToWrite,
  oneProcess,
  precacheFleet,
  precacheForecast,
  precacheHour,
  precachePull,
  precacheRequests,
  readyClaim,
  restarts,
  consoleClaim,
  validateManifests,
  coldStart,
  firstMinutes,
  version,
];

await runScript("bench", async () => {
  const [load = 0] = loadavg();
  const options = benchOptions(claims, process.argv.slice(2));
  const chosen = claims.filter(({ name }) => options.only?.includes(name) ?? true);
  const results: ClaimResult[] = [];
  let unmeasured = 0;
  for (const { name, goal, run } of chosen) {
    console.error(`${name}: ${goal}`);
    try {
      results.push({ name, goal, rows: await run(options) });
    } catch (error) {
      console.error(`${name}: not measured:`, error);
      unmeasured++;
    }
  }
  console.log(table(results, options));

  const isMissed = (claim: string, row: Row) => "ratio" in row && verdict(claim, row, options) === "missed";
  if (unmeasured > 0 || results.some(({ name, rows }) => rows.some((row) => isMissed(name, row))))
    process.exitCode = 1;

  const names = claims.map(({ name }) => name);
  if (options.record) record(results, names, load);
});
