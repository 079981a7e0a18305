import type { Plugin } from "vite";

/** Gives every property with `numRuns: 300` in its test this many cases instead. */
export const numberOfCases = (cases: number): Plugin => ({
  name: "number-of-cases",
  enforce: "pre",
  transform: (code, file) =>
    file.endsWith(".test.ts") ? code.replace(/\bnumRuns: [\d_]+/g, `numRuns: ${cases}`) : undefined,
});
