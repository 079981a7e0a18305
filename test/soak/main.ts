/*
 * Kills forwarder, workers and queue server at random while a hub is edited, 200 times unless told otherwise
 * (`npm run soak -- --kills 1000 --seed 7`), and prints the figures. Ends with 1 when the hub does not hold in the
 * end what a clean run gives.
 */
import { isDeepStrictEqual, parseArgs } from "node:util";
import { killRun } from "../support/kills/kill-run.ts";

const { values } = parseArgs({
  options: { kills: { type: "string", default: "200" }, seed: { type: "string", default: "1" } },
});
const kills = Number(values.kills);
const seed = Number(values.seed);
const began = performance.now();
const run = await killRun({
  kills,
  seed,
  onKill: (count) => process.stderr.write(`\r${count} of ${kills} kills`),
});
const waited = (share: number) => Math.round(run.waits[Math.floor(share * (run.waits.length - 1))] ?? 0);
const isSame = isDeepStrictEqual(run.result, run.clean);
console.log(
  JSON.stringify(
    {
      seed,
      seconds: Math.round((performance.now() - began) / 1000),
      kills: run.kills,
      edits: run.edits,
      editToResultMs: { p50: waited(0.5), p99: waited(0.99), most: waited(1) },
      deadLetters: run.deadLetters,
      result: isSame ? "what a clean run gives" : "ANOTHER THAN A CLEAN RUN GIVES",
    },
    null,
    2,
  ),
);
process.exitCode = isSame ? 0 : 1;
