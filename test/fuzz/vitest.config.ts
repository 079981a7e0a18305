import { randomInt } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { numberOfCases } from "../support/setup/number-of-cases.ts";

const seed = process.env.FC_SEED ?? String(randomInt(2 ** 31));
const seconds = process.env.FC_SECONDS ?? "5";
// Vitest reads its configuration once for all workers.
console.log(`Seed ${seed}, ${seconds} s a property. The same again: FC_SEED=${seed} npm run fuzz`);

/** Every test file with properties, except those that need servers or programs of their own. */
const include = globSync([
  "{shared,functions,cli,console,infra,bench,examples,test/{contract,system,stories,fuzz}}/**/*.test.ts",
  "test/*.test.ts",
]).filter((file) => readFileSync(file, "utf8").includes("fc.assert("));

/**
 * `npm run fuzz`: every property with its own seed and as many cases as fit into FC_SECONDS. A failure names seed and
 * path; with both, as FC_SEED and FC_PATH, `npx vitest run FILE` runs only that case.
 */
export default defineConfig({
  plugins: [numberOfCases(10_000_000)],
  test: {
    name: "fuzz",
    include,
    setupFiles: ["test/support/setup/random-cases.ts"],
    env: { FC_SEED: seed, FC_SECONDS: seconds },
    isolate: false,
    maxWorkers: "100%",
    testTimeout: 60_000 + 10_000 * Number(seconds),
  },
});
