import { test as base } from "vitest";
import { openLab } from "../../images/support/network/lab.ts";
import { openRealNode } from "./real-node.ts";

/** A test with registries (`lab`) and a real node in their network (`node`), each started once a file. */
// biome-ignore-start lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures are needed
export const test = base
  .extend("lab", { scope: "file" }, async ({}, { onCleanup }) => {
    const lab = await openLab();
    onCleanup(() => lab[Symbol.asyncDispose]());
    return lab;
  })
  .extend("node", { scope: "file" }, async ({ lab }, { onCleanup }) => {
    const node = await openRealNode(lab);
    onCleanup(() => node[Symbol.asyncDispose]());
    return node;
  });
// biome-ignore-end lint/correctness/noEmptyPattern: as above
