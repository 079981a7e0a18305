import { join } from "node:path";
import { expect, test } from "vitest";
import { aNodePool, inPlace } from "../support/hosted-clusters/node-pools.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay, onOneLine } from "./cli-in-process.ts";

const hostedCluster = (name: string, spec: Readonly<Record<string, unknown>>) =>
  JSON.stringify({
    apiVersion: "hypershift.openshift.io/v1beta1",
    kind: "HostedCluster",
    metadata: { name, namespace: "clusters" },
    spec: { release: { image: "quay.io/openshift-release-dev/ocp-release:4.20.4-multi" }, ...spec },
  });

const nodePool = JSON.stringify({
  apiVersion: "hypershift.openshift.io/v1beta1",
  kind: "NodePool",
  metadata: { name: "workers", namespace: "clusters" },
  spec: { clusterName: "shop", tuningConfig: [{ name: "hugepages" }] },
});

const files: Readonly<Record<string, string>> = {
  "old/shop.json": hostedCluster("shop", {}),
  "old/other.json": hostedCluster("other", { capabilities: { disabled: ["Console"] } }),
  "new/shop.json": hostedCluster("shop", { capabilities: { disabled: ["ImageRegistry"] } }),
  "same/shop.json": hostedCluster("shop", { pausedUntil: "true" }),
  "ingress.json": hostedCluster("shop", { capabilities: { disabled: ["Ingress"] } }),
  "renamed.json": hostedCluster("shop", { capabilities: { disabledCapabilities: ["ImageRegistry"] } }),
  "unusable.json": hostedCluster("shop", {
    imageContentSources: [{ source: "not a registry", mirrors: ["m.lab"] }],
  }),
  "untuned/shop.json": hostedCluster("shop", { capabilities: { disabled: ["NodeTuning"] } }),
  "untuned/pool.json": nodePool,
  "pool.json": nodePool,
  "by-hand.json": hostedCluster("shop", {
    imageContentSources: [{ source: "quay.io/ocp", mirrors: ["b.example.com/release"] }],
  }),
  "by-hand/shop.json": hostedCluster("shop", {}),
  "by-hand/pools.json": [aNodePool("blue"), aNodePool("green", inPlace)]
    .map((object) => JSON.stringify(object))
    .join("\n"),
  "fields.json": hostedCluster("shop", { relaese: {}, fips: "yes" }),
  "newer/shop.json": hostedCluster("shop", { fieldOfNextYear: {} }),
  "lone-pool.json": nodePool.replace('"spec":{', '"spec":{"replicas":"three","nodelabels":{},'),
  "fleets/prod/shop.json": hostedCluster("shop", { capabilities: { disabled: ["Console"] } }),
  "fleets/stage/shop.json": hostedCluster("shop", { capabilities: { disabled: ["Insights"] } }),
  "old-version.json": hostedCluster("shop", {}).replace("v1beta1", "v1alpha1"),
};

const folder = sharedFolder(files);

const validate = (...args: readonly string[]) => hubrelay(["validate", ...args], { cwd: folder.path });
const immutable =
  'spec.capabilities {"disabled":["ImageRegistry"]}: Invalid value: Capabilities is immutable. Changes might result in unpredictable and disruptive behavior.';

test.for([
  { args: ["-f", "new"], exitCode: 0, reported: "" },
  { args: ["-f", "new", "--against", "old"], exitCode: 1, reported: immutable },
  { args: ["-f", "new/shop.json", "--against", "old/shop.json"], exitCode: 1, reported: immutable },
  { args: ["-f", "new/shop.json", "--against", "old/other.json"], exitCode: 0, reported: "" },
  { args: ["-f", "same", "--against", "old"], exitCode: 0, reported: "" },
  {
    args: ["-f", "ingress.json"],
    exitCode: 1,
    reported: "Invalid value: Ingress capability can only be disabled if Console capability is also disabled",
  },
  {
    args: ["-f", "by-hand.json", "--against", "by-hand"],
    exitCode: 0,
    reported:
      "The nodes get other mirrors. HyperShift replaces every node of NodePool blue (3 nodes). HyperShift drains every node of NodePool green (3 nodes). Fix: Apply it when nodes may be replaced.",
  },
  { args: ["-f", "renamed.json"], exitCode: 1, reported: "The field is called spec.capabilities.disabled." },
  {
    args: ["-f", "unusable.json"],
    exitCode: 1,
    reported: "error: HostedCluster/clusters/shop spec.imageContentSources[0].source",
  },
  {
    args: ["-f", "untuned"],
    exitCode: 0,
    reported:
      'warning: NodePool/clusters/workers spec.tuningConfig [{"name":"hugepages"}]: NodeTuning is disabled',
  },
  { args: ["-f", "pool.json", "--against", "untuned"], exitCode: 0, reported: "NodeTuning is disabled" },
  { args: ["-f", "pool.json", "-f", "new", "--against", "untuned"], exitCode: 1, reported: immutable },
  { args: ["-f", "pool.json", "-f", "new"], exitCode: 0, reported: "" },
  { args: ["-f", "fields.json"], exitCode: 1, reported: "Did you mean release? [UnknownField]" },
  { args: ["-f", "fields.json"], exitCode: 1, reported: "spec.fips must be true or false, but is" },
  { args: ["-f", "lone-pool.json"], exitCode: 1, reported: "Did you mean nodeLabels? [UnknownField]" },
  { args: ["-f", "lone-pool.json"], exitCode: 1, reported: "spec.replicas must be a whole number" },
  {
    args: ["-f", "-", "--against", "-"],
    exitCode: 2,
    reported: "only one of -f and --against can be",
  },
  {
    args: ["-f", "old-version.json"],
    exitCode: 1,
    reported: "apiVersion: HostedCluster is not served as hypershift.openshift.io/v1alpha1.",
  },
  {
    args: ["-f", "new", "--against", "nowhere"],
    exitCode: 2,
    reported: "nowhere: no such file or directory",
  },
])(
  "When hubrelay validate is given $args, it should exit with $exitCode and report that",
  async ({ args, exitCode, reported }) => {
    const result = await validate(...args);
    expect(onOneLine(result.stderr)).toContain(reported);
    if (reported === "") expect(result.stderr).toMatch(/^\d objects? checked .*, 0 errors, 0 warnings\n$/);
    expect(result.exitCode).toBe(exitCode);
  },
);

test("When manifests of two clusters are checked, stored objects on standard input should count for both", async () => {
  const { stderr, exitCode } = await hubrelay(["validate", "-f", "fleets", "--against", "-"], {
    cwd: folder.path,
    stdin: hostedCluster("shop", {}),
  });
  const changed = onOneLine(stderr).match(/^fleets.*Capabilities is immutable/gm);
  expect(changed?.map((line) => line.split(":")[0])).toEqual([
    "fleets/prod/shop.json",
    "fleets/stage/shop.json",
  ]);
  expect(exitCode).toBe(1);
});

test("When mirrors are compared with the hub, it should name the NodePools whose nodes they replace", async () => {
  const hub = `directory:${join(folder.path, "by-hand")}`;
  const args = ["validate", "-f", "by-hand.json", "--against", "hub"];
  const { stderr, exitCode } = await hubrelay(args, { cwd: folder.path, hub });
  expect(stderr).toContain("HyperShift replaces every node of NodePool blue (3 nodes).");
  expect(stderr).toContain("[RollsNodes]");
  expect(exitCode).toBe(0);
});

test("When the hub is a folder, the manifest should be compared with the hub's content", async () => {
  const hub = `directory:${join(folder.path, "old")}`;
  const { stderr, exitCode } = await hubrelay(["validate", "-f", "new", "--against", "hub"], {
    cwd: folder.path,
    hub,
  });
  expect(onOneLine(stderr)).toContain(immutable);
  expect(exitCode).toBe(1);
});
