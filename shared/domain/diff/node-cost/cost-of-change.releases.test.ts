import { describe, expect, test } from "vitest";
import { nodePaths } from "../../openshift/machine-config/node-file.ts";
import { clusterReleases } from "../../openshift/releases/cluster-releases.ts";
import { type ChangeInput, costOfChange } from "./cost-of-change.ts";
import { policies, registriesConf, runs, safe, search, searchDropIn, unsafe } from "./fixtures.ts";

const releases = (...versions: readonly [string, ...string[]]) => clusterReleases(runs(...versions));
const drop = { before: [], after: [searchDropIn] };
const drains = policies({ path: nodePaths.registriesConf, actions: [{ type: "Drain" }] });
const noPolicyCounts = policies({ path: nodePaths.registriesConf, actions: [{ type: "None" }] });
const singleNode = { topology: "SingleReplica" };

type Row = Readonly<{
  name: string;
  on: readonly [string, ...string[]];
  input: ChangeInput;
  expected: string;
}>;

describe("the ConfigMap that skips drains", () => {
  test.for<Row>([
    { name: "an unsafe change", on: ["4.16.1"], input: unsafe, expected: "reload drain-overridden" },
    { name: "an unsafe change", on: ["4.19.1"], input: unsafe, expected: "reload drain-overridden" },
    { name: "an unsafe change", on: ["4.20.1"], input: unsafe, expected: "drain registries-conf-unsafe" },
    {
      name: "an unsafe change during an update",
      on: ["4.19.1", "4.20.1"],
      input: unsafe,
      expected: "drain registries-conf-unsafe",
    },
    { name: "a safe change", on: ["4.19.1"], input: safe, expected: "reload registries-conf-safe" },
    {
      name: "an unsafe change of a single node",
      on: ["4.19.1"],
      input: { ...unsafe, ...singleNode },
      expected: "reload single-replica",
    },
    {
      name: "a policy that drains",
      on: ["4.19.1"],
      input: { ...unsafe, machineConfiguration: drains },
      expected: "drain policy",
    },
    { name: "a file without a policy", on: ["4.19.1"], input: drop, expected: "reboot no-policy" },
  ])("On $on, $name should cost: $expected", ({ on, input, expected }) => {
    const { cost, rule, changes } = costOfChange({
      ...input,
      releases: releases(...on),
      hasDrainOverride: true,
    });
    expect(`${cost} ${rule.code}`).toBe(expected);
    expect(changes.every((change) => change.cost !== "drain")).toBe(cost !== "drain");
  });
});

describe("a pool in image mode", () => {
  test.for<Row>([
    { name: "a safe change", on: ["4.18.1"], input: safe, expected: "reboot image-mode drain,reboot" },
    { name: "a safe change", on: ["4.19.1"], input: safe, expected: "reboot image-mode drain,reboot" },
    {
      name: "a safe change",
      on: ["4.20.1"],
      input: safe,
      expected: "reload registries-conf-safe reload crio.service",
    },
    {
      name: "a change that its policy does nothing for",
      on: ["4.18.1"],
      input: { ...safe, machineConfiguration: noPolicyCounts },
      expected: "reboot image-mode drain,reboot",
    },
    {
      name: "a change of a single node",
      on: ["4.18.1"],
      input: { ...safe, ...singleNode },
      expected: "reboot image-mode reboot",
    },
    {
      name: "no change",
      on: ["4.18.1"],
      input: { before: [registriesConf(search)], after: [registriesConf(search)] },
      expected: "none no-change ",
    },
  ])("On $on, $name should cost: $expected", ({ on, input, expected }) => {
    const change = costOfChange({ ...input, releases: releases(...on), isImageMode: true });
    expect(`${change.cost} ${change.rule.code} ${change.actions}`).toBe(expected);
    expect(new Set(change.changes.map(({ cost }) => cost)).size).toBeLessThan(2);
  });
});
