import { describe, expect, test } from "vitest";
import { nodePaths } from "../../openshift/machine-config/node-file.ts";
import { clusterReleases } from "../../openshift/releases/cluster-releases.ts";
import { type ChangeInput, costOfChange } from "./cost-of-change.ts";
import { policies, registriesConf, runs, safe, search, searchDropIn, unsafe } from "./fixtures.ts";

const releases = (...versions: readonly [string, ...string[]]) => clusterReleases(runs(...versions));
const drop = { before: [], after: [searchDropIn] };
const drains = policies({ path: nodePaths.registriesConf, actions: [{ type: "Drain" }] });
const noPolicyCounts = policies({ path: nodePaths.registriesConf, actions: [{ type: "None" }] });
const same = { before: [registriesConf(search)], after: [registriesConf(search)] };
const singleNode = { topology: "SingleReplica" };

type Row = readonly [name: string, on: readonly [string, ...string[]], input: ChangeInput, expected: string];

describe("the ConfigMap that skips drains", () => {
  test.for<Row>([
    ["an unsafe change", ["4.16.1"], unsafe, "reload drain-overridden"],
    ["an unsafe change", ["4.19.1"], unsafe, "reload drain-overridden"],
    ["an unsafe change", ["4.20.1"], unsafe, "drain registries-conf-unsafe"],
    ["an unsafe change during an update", ["4.19.1", "4.20.1"], unsafe, "drain registries-conf-unsafe"],
    ["a safe change", ["4.19.1"], safe, "reload registries-conf-safe"],
    ["an unsafe change of a single node", ["4.19.1"], { ...unsafe, ...singleNode }, "reload single-replica"],
    ["a policy that drains", ["4.19.1"], { ...unsafe, machineConfiguration: drains }, "drain policy"],
    ["a file without a policy", ["4.19.1"], drop, "reboot no-policy"],
  ])("On $1, $0 should cost: $3", ([, on, input, expected]) => {
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
    ["a safe change", ["4.18.1"], safe, "reboot image-mode drain,reboot"],
    ["a safe change", ["4.19.1"], safe, "reboot image-mode drain,reboot"],
    ["a safe change", ["4.20.1"], safe, "reload registries-conf-safe reload crio.service"],
    [
      "a change that its policy does nothing for",
      ["4.18.1"],
      { ...safe, machineConfiguration: noPolicyCounts },
      "reboot image-mode drain,reboot",
    ],
    ["a change of a single node", ["4.18.1"], { ...safe, ...singleNode }, "reboot image-mode reboot"],
    ["no change", ["4.18.1"], same, "none no-change "],
  ])("On $1, $0 should cost: $3", ([, on, input, expected]) => {
    const change = costOfChange({ ...input, releases: releases(...on), isImageMode: true });
    expect(`${change.cost} ${change.rule.code} ${change.actions}`).toBe(expected);
    expect(new Set(change.changes.map(({ cost }) => cost)).size).toBeLessThan(2);
  });
});
