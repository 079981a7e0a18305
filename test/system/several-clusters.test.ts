import { join } from "node:path";
import { expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { anImageContentSourcePolicy } from "#shared/domain/mirrors/fixtures.ts";
import { aDigestMirrorSet, aPool } from "../support/hub/objects.ts";
import { aManagedCluster, anUpgrade } from "../support/precache/precache-plan-objects.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const mirrors = (source: string, mirror: string) =>
  writeManifest(aDigestMirrorSet("site", [{ source, mirrors: [mirror] }]));
const conflicting = (name: string) =>
  writeManifest(
    aDigestMirrorSet(name, [
      { source: "quay.io/a", mirrors: ["m.lan/a"], mirrorSourcePolicy: "NeverContactSource" },
      { source: "quay.io/a", mirrors: ["m.lan/a"] },
    ]),
  );
const window = (hour: number) => `apiVersion: hubrelay.dev/v1alpha1
kind: MaintenanceWindow
metadata: {namespace: fleet, name: night}
spec: {schedule: 0 ${hour} * * *, timeZone: UTC, duration: 1h}
`;
const cluster = (version: string) =>
  writeManifest(aHostedCluster({ spec: { release: { image: `quay.io/r/r:${version}-multi` } } }));
const upgrade = (name: string) =>
  [anUpgrade({ spec: { clusters: [name] } }), aManagedCluster(name)].map(writeManifest).join("---\n");

const clusters = {
  prod: "*/prod",
  stage: "*/stage",
  eu: "*/eu",
  us: "*/us",
};
const folder = sharedFolder({
  ".hubrelay.yaml": JSON.stringify({
    clusters: Object.entries(clusters).map(([name, path]) => ({ name, paths: [path] })),
  }),
  // Two environments that were the same until a change of one of them.
  "same/prod/mirrors.yaml": mirrors("quay.io/a", "m.lan/a"),
  "same/stage/mirrors.yaml": mirrors("quay.io/a", "m.lan/a"),
  "same/pool.yaml": writeManifest(aPool("worker")),
  "apart/prod/mirrors.yaml": mirrors("quay.io/a", "m.lan/a"),
  "apart/stage/mirrors.yaml": mirrors("quay.io/a", "n.lan/a"),
  "apart/pool.yaml": writeManifest(aPool("worker")),
  "assumed/prod/mirrors.yaml": mirrors("quay.io/a", "m.lan/a"),
  "assumed/prod/pool.yaml": writeManifest(aPool("worker")),
  "assumed/stage/mirrors.yaml": mirrors("quay.io/a", "m.lan/a"),
  "assumed/install-config.yaml":
    "baseDomain: a.example\nimageDigestSources: [{source: quay.io/a, mirrors: [m.lan/a]}]\n",
  "alone/install-config.yaml":
    "baseDomain: a.example\nimageDigestSources: [{source: quay.io/a, mirrors: [m.lan/a]}]\n",
  "windows/prod/night.yaml": window(1),
  "windows/stage/night.yaml": window(2),
  "windows/shared.yaml": window(3).replace("night", "weekend"),
  "hosted/eu/shop.yaml": cluster("4.20.4"),
  "hosted/us/shop.yaml": cluster("4.21.0"),
  "upgrades/eu/upgrade.yaml": upgrade("edge1"),
  "upgrades/us/upgrade.yaml": upgrade("edge2"),
  "refused/prod/mirrors.yaml": conflicting("prod"),
  "refused/stage/mirrors.yaml": conflicting("stage"),
  "many/eu/policies.yaml": writeManifest(
    anImageContentSourcePolicy("a", [{ source: "quay.io/a", mirrors: ["m.lan/a"] }]),
  ),
  "many/us/policies.yaml": writeManifest(
    anImageContentSourcePolicy("a", [{ source: "quay.io/a", mirrors: ["n.lan/a"] }]),
  ),
  "cwd/notes.yaml": "",
});
const unnamed = (...args: readonly string[]) => hubrelay(args, { cwd: join(folder.path, "cwd") });
const run = (...args: readonly string[]) => hubrelay(args, { cwd: folder.path });
const two = (one: string, other: string) => `hubrelay: 2 clusters, a result for each: ${one}, ${other}\n`;

test.for([
  ["assumed", "pools master and worker (install-config.yaml, stage)"],
  ["alone", "pools master and worker"],
] as const)(
  "When clusters in %s differ in what is assumed, each assumption should be said once, with its clusters",
  async ([folder, pools]) => {
    const { stdout } = await run("validate", "-f", folder, "-o", "json");
    const texts = JSON.parse(stdout).coverage.assumed.map(({ text }: { text: string }) => text);
    expect(texts.toSorted()).toEqual([
      "an empty Image",
      "no MachineConfig changes these files",
      pools,
      expect.stringMatching(/^release .* payload$/),
    ]);
  },
);

test("When two clusters have the same conflict, each should be one error at its own places", async () => {
  const { stdout } = await run("validate", "-f", "refused", "-o", "json");
  const found = JSON.parse(stdout).issues as readonly Record<string, unknown>[];
  expect(found.map(({ code, file, related }) => [code, file, related])).toEqual(
    ["prod", "stage"].map((name) => {
      const file = `refused/${name}/mirrors.yaml`;
      return ["ConflictingMirrorSourcePolicy", file, [{ file, line: expect.any(Number) }]];
    }),
  );
});

test("When a change is in one cluster, diff should have a result for each cluster", async () => {
  const { stdout, stderr, exitCode } = await run("diff", "same", "apart");
  expect({ stderr, exitCode }).toEqual({ stderr: two("prod", "stage"), exitCode: 0 });
  const [prod = "", stage = ""] = stdout.split("\nstage:\n");
  expect(prod).toMatch(/^prod:\nCost none\n\nNothing changes on any node\.\n/);
  expect(stage).toMatch(/^Cost \w+\n/);
  expect(stage).toContain("n.lan/a");
  const json = await run("diff", "same", "apart", "-o", "json");
  expect(
    JSON.parse(json.stdout).sides.map(({ side, cost }: Record<string, unknown>) => [side, cost]),
  ).toEqual([
    ["prod", "none"],
    ["stage", expect.not.stringMatching("none")],
  ]);
  const markdown = await run("diff", "same", "apart", "-o", "markdown");
  expect(markdown.stdout).toMatch(/^\| `prod` \| not affected \| ⚪ \*\*none\*\* \|\n\| `stage` \| ✅ \| /m);
  expect(markdown.stdout.match(/<summary>`.*/g)).toEqual(["<summary>`stage`</summary>"]);
});

test.for([
  [
    "windows",
    ["windows", "--now", "2026-12-01T00:00:00Z", "--next", "1"],
    "windows",
    ["prod", "stage"],
    /\bnight\b/,
  ],
  ["hosted", ["hosted"], "hosted", ["eu", "us"], /clusters\/shop/],
  ["precache plan", ["precache", "plan"], "upgrades", ["eu", "us"], /ztp\/upgrade/],
] as const)(
  "When clusters define an object of %s differently, it should list each below its cluster",
  async ([, command, path, [one, other], item]) => {
    const { stdout, stderr } = await run(...command, "-f", path);
    expect(stderr).toContain(two(one, other));
    const [first = "", second = ""] = stdout.split(`\n${other}:\n`);
    expect(first).toMatch(new RegExp(`^${one}:\n`));
    for (const part of [first, second]) expect(part).toMatch(item);
    const json = await run(...command, "-f", path, "-o", "json");
    const sides = JSON.parse(json.stdout).map(({ side }: { side?: string }) => side);
    expect([...new Set(sides)]).toEqual([one, other]);
  },
);

test("When policies are of several clusters, convert should name them", async () => {
  const { stderr, exitCode } = await run("convert", "-f", "many");
  expect([stderr, exitCode]).toEqual([
    "hubrelay: the manifests are of several clusters: eu, us. Name the files of one.\n",
    2,
  ]);
});

test("When clusters are proposed, the settings should tell them apart", async () => {
  const { stdout } = await unnamed("config", "propose", "../apart", "../windows");
  expect(stdout).toMatch(
    /^clusters:\n- name: prod\n {2}paths:\n {2}- .*apart\/prod\n {2}- .*windows\/prod\n- name: stage\n/,
  );
});

const several =
  /^(?:hubrelay|warning: \.hubrelay\.yaml clusters): These look like several clusters:[\s\S]* define ImageDigestMirrorSet\/site differently\.[\s\S]*"hubrelay config propose"/;

test("When no settings name the clusters, validate should say so once, and check each object by itself", async () => {
  const { stderr, exitCode } = await unnamed("validate", "-f", "../apart");
  expect(stderr).toMatch(several);
  expect(stderr).toContain("3 objects checked in 3 files, 0 ignored, 0 errors, 1 warning\n");
  expect(exitCode).toBe(0);
});

test.for([
  ["../apart", "../apart", [], 0, ""],
  ["../same", "../apart", [], 0, "fails on"],
  ["../same", "../apart", ["--fail-on", "drain"], 1, ""],
] as const)(
  "When no settings name the clusters, diff %s %s %j should exit with %3$i",
  async ([before, after, options, code, not]) => {
    const { stderr, exitCode } = await unnamed("diff", before, after, ...options);
    expect(exitCode).toBe(code);
    if (not !== "") expect(stderr).not.toContain(not);
    if (code > 0) expect(stderr).toContain("fails on drain: what changes on nodes is not known.");
  },
);
