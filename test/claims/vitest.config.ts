import { join } from "node:path";
import { defineConfig } from "vitest/config";
import * as z from "zod";
import { paths } from "../../infra/paths.ts";
import { numberOfCases } from "../support/setup/number-of-cases.ts";

/** The folder with the copies of the checkout, and the test files in it, which `claims.test.ts` chooses. */
const { CLAIMS_FOLDER: root, CLAIMS_FILES: files } = z
  .object({ CLAIMS_FOLDER: z.string(), CLAIMS_FILES: z.string() })
  .parse(process.env);
const all = z.array(z.string()).parse(JSON.parse(files));
const isFuzz = (file: string): boolean => file.includes("/test/fuzz/");
const common = {
  root,
  setupFiles: [join(paths.root, "test/support/setup/random-cases.ts")],
  // Node runs the sources as they are. A broken copy must not disturb the next test: each has a process of its own.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  pool: "forks" as const,
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  root,
  test: {
    taskTitleValueFormatTruncate: 0,
    projects: [
      { test: { ...common, name: "tests", include: all.filter((file) => !isFuzz(file)) } },
      {
        // The random tier has no number of cases of its own.
        plugins: [numberOfCases(10_000_000)],
        test: {
          ...common,
          name: "random",
          include: all.filter(isFuzz),
          experimental: {},
          env: { FC_SECONDS: "2", FC_SEED: "1" },
        },
      },
    ],
  },
});
