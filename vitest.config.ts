import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { skippedTests } from "./test/support/setup/skipped-tests.ts";
import { soakRuns } from "./test/support/setup/soak.ts";
import { WaitingBesideComputing } from "./test/support/setup/waiting-beside-computing.ts";

/** A soak repeats within a test. */
const soakTimeout = process.env.SOAK ? 3_600_000 : undefined;

const cluster = "test/cluster";

/** Returns a tier on real API servers. */
const onRealServers = (name: string, files: Readonly<{ include: string[] }>) => ({
  test: {
    name,
    ...files,
    globalSetup: ["test/cluster/setup.ts", "test/support/setup/bundle-command.ts"],
    testTimeout: soakTimeout ?? 120_000,
    hookTimeout: 300_000,
    // Servers in Go live for a minute or two: collecting garbage less often takes a quarter less of the cores.
    env: { GOGC: "400" },
    // Files have servers of their own, and wait for controllers and deadlines for half of their time.
    maxWorkers: 2,
  },
});

/** One project per tier; `npm test` runs `fast`. */
export default defineConfig({
  test: {
    setupFiles: ["test/support/setup/random-cases.ts"],
    // More than there are cores, since many tests of queues and processes wait for seconds that are a queue's own.
    maxWorkers: Math.ceil(2.5 * availableParallelism()),
    // Processes that tests start compile hubrelay once, not each of them.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL(".cache/compile", import.meta.url)) },
    taskTitleValueFormatTruncate: 0,
    // Files of expected results are written only with `-u`, so that a missing one fails.
    update: "none",
    reporters: ["default", skippedTests, soakRuns],
    sequence: { sequencer: WaitingBesideComputing },
    // What is awaited has come as soon as it is there; on a busy machine that takes longer than Vitest's second.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        test: {
          // Unit, contract and system tests in one project: with one each, Vitest would start every worker three times.
          name: "fast",
          include: [
            "{shared,functions,cli,console,examples,infra}/**/*.test.ts",
            "bench/*.test.ts",
            "test/*.test.ts",
            "test/{contract,system,stories,golden}/**/*.test.ts",
          ],
          globalSetup: "test/support/setup/bundle-command.ts",
          // Tests leave nothing behind in their process, so a worker keeps the modules that it has loaded.
          isolate: false,
          // Node runs the sources as they are, so nothing is compiled for a run; no module is mocked.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          // Properties and processes take seconds on a busy machine.
          testTimeout: soakTimeout ?? 300_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "lambda",
          include: ["test/lambda/**/*.test.ts"],
          globalSetup: "test/lambda/setup.ts",
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "claims",
          include: ["test/claims/**/*.test.ts"],
          testTimeout: 1_800_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: "scan", include: ["test/scan/**/*.test.ts"], testTimeout: 120_000 } },
      { test: { name: "alerts", include: ["test/alerts/**/*.test.ts"], testTimeout: 60_000 } },
      {
        test: {
          name: "console",
          include: ["test/console/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each starts a browser of its own.
          maxWorkers: 2,
        },
      },
      { test: { name: "pack", include: ["test/pack/**/*.test.ts"], testTimeout: 300_000 } },
      {
        test: { name: "container", include: ["test/container/**/*.test.ts"], testTimeout: 300_000 },
      },
      {
        test: {
          name: "release",
          include: ["test/release/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: "parity",
          include: ["test/parity/**/*.test.ts"],
          globalSetup: "test/parity/setup.ts",
          testTimeout: 300_000,
          // The first run on a machine compiles the peers.
          hookTimeout: 600_000,
        },
      },
      onRealServers("cluster", { include: [`${cluster}/*.test.ts`] }),
      onRealServers("cluster-nightly", { include: [`${cluster}/nightly/*.test.ts`] }),
      onRealServers("cluster-faults", { include: [`${cluster}/faults/*.test.ts`] }),
      {
        test: {
          name: "elasticmq",
          include: ["test/elasticmq/**/*.test.ts"],
          globalSetup: ["test/elasticmq/setup.ts", "test/support/setup/bundle-command.ts"],
          testTimeout: 60_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "images",
          include: ["test/images/**/*.test.ts"],
          globalSetup: "test/images/support/setup.ts",
          testTimeout: 300_000,
          hookTimeout: 60_000,
          // Files have networks, mounts and registries of their own, and wait for links, nights and time limits.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "node",
          include: ["test/node/**/*.test.ts"],
          globalSetup: "test/node/setup.ts",
          testTimeout: 240_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "images-newest-podman",
          // The tests of podman's pulls, random configurations of mirrors and protection among them.
          include: [
            "test/images/{random,ready-lists,search}.test.ts",
            "test/images/precache-{left-behind,thin-link,workload}.test.ts",
          ],
          globalSetup: "test/images/support/setup-newest-podman.ts",
          testTimeout: 300_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
