import { test as base } from "vitest";
import { openLab } from "./lab.ts";

/** A test with registries: `lab` is opened once a file. */
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one needs
export const test = base.extend("lab", { scope: "file" }, async ({}, { onCleanup }) => {
  const lab = await openLab();
  onCleanup(() => lab[Symbol.asyncDispose]());
  return lab;
});
