import { test as base, inject } from "vitest";
import { openLab } from "./network/lab.ts";
import { builtPolicyCheck } from "./scenarios/policy-check.ts";

/** A test with registries (`lab`) and the program that checks signatures (`policyCheck`), each created once a file. */
// biome-ignore-start lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures are needed
export const test = base
  .extend("lab", { scope: "file" }, async ({}, { onCleanup }) => {
    const lab = await openLab({ podman: inject("podman") });
    onCleanup(() => lab[Symbol.asyncDispose]());
    return lab;
  })
  .extend("policyCheck", { scope: "file" }, async ({}) => builtPolicyCheck());
// biome-ignore-end lint/correctness/noEmptyPattern: as above
