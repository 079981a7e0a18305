import { describe, expect, test } from "vitest";
import { aNodePool } from "../../../../test/support/hosted-clusters/node-pools.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { readManifests, writeManifest } from "../../manifests/manifests.ts";
import { aReadHostedCluster } from "../fixtures.ts";
import { readNodePool } from "./node-pool.ts";
import { nodePoolIssues, skewProblem } from "./node-pool-issues.ts";
import {
  absentPoolConfigs,
  asPoolsHave,
  configMapsOf,
  poolConfigNames,
  poolConfigsIn,
  readPoolConfig,
} from "./pool-config.ts";

const image = (version: string, suffix = "multi") =>
  `quay.io/openshift-release-dev/ocp-release:${version}-${suffix}`;

describe("readNodePool", () => {
  test("When a NodePool has all fields, it should read what decides about its nodes", () => {
    const object = {
      ...aNodePool("blue", {
        release: { image: image("4.20.4") },
        arch: "arm64",
        platform: { type: "KubeVirt" },
        management: { upgradeType: "Replace", replace: { rollingUpdate: { maxSurge: "25%" } } },
        config: [{ name: "mirrors" }],
      }),
      status: { version: "4.20.3", conditions: [{ type: "Ready", status: "False" }] },
    };
    const { pool, issues } = readNodePool(object);
    expect(issues).toEqual([]);
    expect(pool).toEqual({
      object,
      namespace: "clusters",
      name: "blue",
      clusterName: "shop",
      releaseImage: image("4.20.4"),
      version: "4.20.4",
      runningVersion: "4.20.3",
      arch: "arm64",
      platform: "KubeVirt",
      nodes: 3,
      autoScaling: null,
      upgradeType: "Replace",
      maxSurge: "25%",
      maxUnavailable: 0,
      config: ["mirrors"],
      conditions: [{ type: "Ready", status: "False" }],
    });
  });

  test.for<[spec: Readonly<Record<string, unknown>>, found: object, paths: readonly string[]]>([
    [{ replicas: null }, { nodes: 0, arch: "amd64", maxSurge: 1, maxUnavailable: 0 }, []],
    [{ replicas: "three" }, { nodes: null }, ["spec.replicas"]],
    [{ arch: 1 }, { arch: "amd64" }, ["spec.arch"]],
    [
      { management: { upgradeType: "OnDelete" } },
      { upgradeType: null, maxSurge: null, maxUnavailable: null },
      ["spec.management.upgradeType"],
    ],
    [{ management: { upgradeType: "InPlace" } }, { maxSurge: null, maxUnavailable: 1 }, []],
    [
      { management: { upgradeType: "Replace", replace: { strategy: "OnDelete" } } },
      { upgradeType: "Replace", maxSurge: null, maxUnavailable: null },
      [],
    ],
    [{ config: [{ name: "a" }, {}] }, { config: ["a"] }, []],
  ])("When the spec has %j, it should be read as %j", ([spec, found, paths]) => {
    const { pool, issues } = readNodePool(aNodePool("blue", spec));
    expect(pool).toMatchObject(found);
    expect(issues.map(({ path }) => path)).toEqual(paths);
  });
});

describe("skewProblem", () => {
  test.for<[controlPlane: string, pool: string, problem: string | undefined]>([
    ["4.20.4", "4.20.4", undefined],
    ["4.20.4", "4.17.1", undefined],
    ["4.20.4", "4.16.30", "too old"],
    ["4.20.4", "4.20.5", "newer"],
    ["4.20.4", "4.21.1", "newer"],
    ["4.20.0-rc.1", "4.20.0", "newer"],
    ["4.20.0", "4.20.0-rc.1", undefined],
    ["4.20.0-rc.2", "4.20.0-rc.10", "newer"],
    ["5.0.1", "4.23.1", undefined],
    ["5.0.1", "4.20.9", undefined],
    ["5.0.1", "4.19.9", "from 4.20 on"],
    ["5.3.1", "4.23.1", undefined],
    ["5.4.1", "4.23.1", "from 5.1 on"],
    ["4.23.1", "5.0.0", undefined],
    ["unknown", "4.20.4", undefined],
  ])("When the control plane has %s and the pool %s, it should say %s", ([controlPlane, pool, problem]) => {
    const found = skewProblem(controlPlane, pool)?.message;
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });
});

const configMap = (name: string, config: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "clusters", name },
  data: { config },
});
const manifest = (apiVersion: string, kind: string) =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: one}\n`;

describe("readPoolConfig", () => {
  const { pool } = readNodePool(aNodePool("blue", { config: [{ name: "a" }, { name: "b" }] }));

  test("When ConfigMaps hold the kinds that HyperShift takes, their objects should be read", () => {
    const own = [
      manifest("machineconfiguration.openshift.io/v1", "KubeletConfig"),
      manifest("config.openshift.io/v1", "ImageDigestMirrorSet"),
    ].join("---\n");
    const { objects, issues, unread } = readPoolConfig(pool, configMapsOf([configMap("a", own)]));
    expect([objects.map(({ kind }) => kind), issues, unread]).toEqual([
      ["KubeletConfig", "ImageDigestMirrorSet"],
      [],
      ["b"],
    ]);
  });

  test.for<[config: string, why: string]>([
    [manifest("config.openshift.io/v1", "ImageTagMirrorSet"), "ImageTagMirrorSet of config.openshift.io/v1"],
    [manifest("config.openshift.io/v1", "Image"), "Image of config.openshift.io/v1"],
    [manifest("v1beta1", "MachineConfig"), "MachineConfig of v1beta1"],
    ["a: [", "not read: Flow sequence"],
    ["just text", "It is a string"],
    [
      `apiVersion: v1\nkind: List\nitems:\n- ${JSON.stringify({ apiVersion: "config.openshift.io/v1", kind: "ImageDigestMirrorSet" })}`,
      "a list",
    ],
  ])("When a ConfigMap holds %j, it should be an error", ([config, why]) => {
    const { issues } = readPoolConfig(pool, configMapsOf([configMap("b", config)]));
    expect(issues).toMatchObject([
      { code: "UnsupportedPoolConfig", severity: "error", object: { name: "b" }, path: "data.config" },
    ]);
    expect(issues[0]?.message).toContain(why);
  });
});

test("When NodePools name ConfigMaps, their names should be by namespace, and those that are not given unread", () => {
  const named = aNodePool("blue", { config: [{ name: "a" }, { name: "b" }] });
  const objects = [
    named,
    aNodePool("green", { config: [{ name: "b" }] }),
    aNodePool("red", {}),
    configMap("a", ""),
  ];
  expect([...poolConfigNames(objects)]).toEqual([["clusters", new Set(["a", "b"])]]);
  expect(absentPoolConfigs(objects)).toEqual([{ what: "ConfigMap/clusters/b", why: "not-given", count: 1 }]);
});

test.for([
  { named: "own", role: "worker" },
  { named: "other", role: "infra" },
])(
  "When a NodePool names ConfigMap $named, a MachineConfig for infra in own should be for $role",
  ({ named, role }) => {
    const label = "machineconfiguration.openshift.io/role";
    const inner = `{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig, metadata: {name: a, labels: {${label}: infra}}}`;
    const holder = configMap("own", inner);
    const { embedded = [] } = readManifests(writeManifest(holder), "f.yaml", { readsEmbedded: true });
    const objects = [aNodePool("blue", { config: [{ name: named }] }), holder];
    expect(asPoolsHave(embedded, objects).map(({ object }) => object.metadata.labels)).toEqual([
      { [label]: role },
    ]);
    expect(poolConfigsIn(objects)).toEqual(
      named === "own"
        ? [{ configMap: holder, objects: [expect.objectContaining({ kind: "MachineConfig" })] }]
        : [],
    );
  },
);

describe("nodePoolIssues", () => {
  const codes = (spec: Readonly<Record<string, unknown>>, status?: unknown) => {
    const release = { image: image("4.20.4", "multi") };
    const cluster = aReadHostedCluster({ spec: { release }, status });
    return nodePoolIssues(cluster, readNodePool(aNodePool("blue", spec)), new Map()).map(({ code }) => code);
  };
  test.for<[spec: Readonly<Record<string, unknown>>, status: unknown, expected: readonly string[]]>([
    [{ release: { image: image("4.20.4") } }, undefined, []],
    [
      { release: { image: image("4.21.1", "x86_64") }, arch: "arm64" },
      undefined,
      ["UnsupportedSkew", "ArchitectureNotInRelease"],
    ],
    [{ release: { image: image("4.20.4", "aarch64") }, arch: "arm64" }, undefined, []],
    [{ release: { image: "q.io/a/b:latest" }, arch: "arm64" }, undefined, []],
    [{ release: { image: image("4.20.4") }, arch: "arm64" }, { payloadArch: "AMD64" }, []],
  ])("When a pool has %j in a cluster with %j, it should report %j", ([spec, status, expected]) => {
    expect(codes(spec, status)).toEqual(expected);
  });
});
