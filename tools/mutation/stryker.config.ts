/** Patterns that exclude files from mutation: tests and their fixtures. */
export const testCode = ["!**/*.test.ts", "!**/fixtures.ts"];

/** Stryker's options: https://stryker-mutator.io/docs/stryker-js/configuration. Paths are relative to the root. */
export default {
  mutate: [
    "shared/domain/{mirrors,images,kubernetes/json,openshift/machine-config,hosted-clusters,windows,precache-*,ready}/**/*.ts",
    // The decisions of the functions and their pure parts; code that reads the hub is not mutated.
    "functions/*/{decide,planning/*,ownership}.ts",
    "functions/maintenance-window/window-usage.ts",
    "functions/mirror-config/pool-plan.ts",
    "functions/precache-plan/planned-*.ts",
    "functions/precache-status/{checks,cluster-messages,outcomes,progress,removals,unplanned}.ts",
    ...testCode,
  ],
  // The sandbox has only what the tests of these folders need. It lacks tsconfig.json, which Stryker would rewrite
  // with an API that TypeScript 7 no longer has: Vite strips the types without this file.
  ignorePatterns: [
    "**",
    "!{shared,functions,cli}/**/*.ts",
    "!test/{support,cluster/support}/**/*.ts",
    "!tools/mutation/*.ts",
    "!infra/precache-workload/*.sh",
    "!package.json",
  ],

  testRunner: "vitest",
  vitest: { configFile: "tools/mutation/vitest.config.ts" },
  coverageAnalysis: "perTest",
  concurrency: 2,
  timeoutMS: 10_000,

  incremental: true,
  incrementalFile: ".cache/mutation.json",
  reporters: ["progress-append-only", "clear-text", "html", "json"],
  htmlReporter: { fileName: "reports/mutation/index.html" },
  jsonReporter: { fileName: "reports/mutation/report.json" },
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  thresholds: { high: 95, low: 90, break: 90 },
};
