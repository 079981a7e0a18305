import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
  digestOf,
} from "../support/precache/precache-plan-objects.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const payload = `quay.io/openshift-release-dev/ocp-release@${digestOf("a")}`;
const byVersion = aWantedRelease({
  upstream: "https://graph.lab/api",
  channel: "stable-4.20",
  desiredUpdate: { version: "4.20.3" },
});
const good = [
  anUpgrade({ preCachingConfigRef: { name: "config" } }),
  aPolicy("platform", [byVersion]),
  aPreCachingConfig({ spaceRequired: "30Gi" }),
  aManagedCluster("sno1"),
  aManagedCluster("sno2"),
];
const bad = anUpgrade({ clusters: ["nobody"] }, { name: "bad", namespace: "edge" });
const manifests = (objects: readonly (typeof bad)[]) => objects.map(writeManifest).join("---\n");

const folder = sharedFolder({ "graph.json": JSON.stringify({ nodes: [{ version: "4.20.3", payload }] }) });
const graph = () => join(folder.path, "graph.json");

const plan = (objects: readonly (typeof bad)[], ...args: readonly string[]) =>
  hubrelay(["precache", "plan", "-f", "-", "--update-graph", graph(), ...args], {
    stdin: manifests(objects),
  });

describe("hubrelay precache plan", () => {
  test("When one of two can be planned, it should print both as JSON and exit with 1", async () => {
    const { stdout, stderr, exitCode } = await plan([...good, bad], "-o", "json", "--hub-version", "4.20");
    const [first, second] = JSON.parse(stdout);
    expect(first).toMatchObject({
      namespace: "ztp",
      name: "upgrade",
      spec: {
        platformImage: payload,
        operatorsIndexes: [],
        operatorsPackagesAndChannels: [],
        excludePrecachePatterns: [],
        additionalImages: [],
        spaceRequired: "30",
      },
      clusters: [
        { name: "sno1", action: "precache" },
        { name: "sno2", action: "precache" },
      ],
      issues: [],
    });
    expect(second).toMatchObject({
      namespace: "edge",
      name: "bad",
      spec: { platformImage: "", spaceRequired: "" },
      conditions: [{ type: "ClustersSelected", status: "False", reason: "ClusterNotFound" }],
      clusters: [],
      issues: [{ code: "ClusterNotFound", severity: "error" }],
    });
    expect(stderr).toContain("error: ClusterGroupUpgrade/edge/bad spec.clusters");
    expect(exitCode).toBe(1);
  });

  test("When something is not read or is assumed, the text should end with it, and it should be an error on request", async () => {
    const { status: _, metadata, ...rest } = aPolicy("platform", [byVersion]);
    const { uid: _uid, ...named } = metadata;
    const objects = [...good.filter(({ kind }) => kind !== "Policy"), { ...rest, metadata: named }];
    const { stdout, exitCode } = await plan([...objects, bad]);
    expect(stdout.split("\n").slice(-4)).toEqual([
      "",
      "Not read: distance from the hub's version of clusters of ClusterGroupUpgrade/ztp/upgrade: not checked.",
      "Assumed: no cluster complies with platform yet.",
      "",
    ]);
    expect(exitCode).toBe(1);
    const version = ["--hub-version", "4.20"];
    const required = await plan(objects, ...version, "--require-coverage", "-o", "json");
    expect(JSON.parse(required.stdout)).toMatchObject([
      { coverage: { complete: false, unread: [], assumed: [{ what: "policies" }] } },
    ]);
    expect(required).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("[NotCovered]") });
    expect(await plan(good, ...version, "--require-coverage")).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("When the environment chooses a profile and a version, they should apply unless the command line overrides them", async () => {
    const overrides = { platformImage: "quay.io/acme/release:other" };
    const stdin = manifests([...good.slice(0, 2), aPreCachingConfig({ overrides }), ...good.slice(3)]);
    const env = { HUBRELAY_PRECACHE_PROFILE: "hardened", HUBRELAY_HUB_VERSION: "4.30" };
    const args = ["precache", "plan", "-f", "-", "--update-graph", graph(), "-o", "json"];
    const chosen = await hubrelay(args, { stdin, variables: env });
    expect(JSON.parse(chosen.stdout)).toMatchObject([{ spec: { platformImage: payload } }]);
    expect(chosen.stderr).toContain("4.30");
    const said = await hubrelay([...args, "--hub-version", "4.20"], { stdin, variables: env });
    expect(said.stderr).not.toContain("4.30");
    expect(await hubrelay(args, { stdin, variables: { HUBRELAY_PRECACHE_PROFILE: "soft" } })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("it should be standard or hardened"),
    });
  });
});
