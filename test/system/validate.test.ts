import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const source = "quay.io/openshift-release-dev/ocp-release";
const repeating = [
  aDigestMirrorSet("one", [{ source, mirrors: ["m.example/a", "m.example/b"] }]),
  aDigestMirrorSet("two", [{ source, mirrors: ["m.example/a", "m.example/c"] }]),
];

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test("When a ManifestWork holds mirrors, validate, explain and diff should read them", async () => {
  const work = (source: string, mirror: string) => ({
    apiVersion: "work.open-cluster-management.io/v1",
    kind: "ManifestWork",
    metadata: { name: "mirrors", namespace: "edge1" },
    spec: { workload: { manifests: [aDigestMirrorSet("site", [{ source, mirrors: [mirror] }])] } },
  });
  const old = await folderOf({ "a.yaml": writeManifest(work("quay.io", "a.example/x")) });
  const now = await folderOf({ "a.yaml": writeManifest(work("quay.io", "b.example/x")) });
  const image = `quay.io/x@sha256:${"0".repeat(64)}`;
  expect((await hubrelay(["explain", image, "-f", old])).stdout).toContain("tried  a.example/x/x@sha256");
  expect((await hubrelay(["diff", old, now])).stdout).toContain("The new mirror b.example/x");
  const invalid = await folderOf({ "a.yaml": writeManifest(work("quay.io:v1/x", "b.example/x")) });
  const { stderr, exitCode } = await hubrelay(["validate", "-f", invalid]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /a\.yaml:18:11: error: ImageDigestMirrorSet\/site .*\[InvalidSource\]\n(?: {4}.*\n)+2 objects checked/,
  );
});

const anImage = (name: string, spec: unknown) => ({
  apiVersion: "config.openshift.io/v1",
  kind: "Image",
  metadata: { name },
  spec,
});

test.for([
  ["a misspelt field", anImage("cluster", { registrySource: {} }), "[UnknownField]"],
  ["a name without effect", anImage("mine", {}), "[NameWithoutEffect]"],
] as const)(
  "When an object has %s, validate and diff should exit with 1, and render with 0",
  async ([, object, fix]) => {
    const folder = await folderOf({ "a.yaml": [object, ...repeating].map(writeManifest).join("---\n") });
    const without = await folderOf({ "a.yaml": repeating.map(writeManifest).join("---\n") });
    for (const command of [
      ["validate", "-f", folder],
      ["diff", without, folder],
    ]) {
      const { stderr, exitCode } = await hubrelay(command);
      expect(stderr).toMatch(/a\.yaml:\d+:\d+: error: /);
      expect(stderr).toContain(fix);
      expect(exitCode).toBe(1);
    }
    const rendered = await hubrelay(["render", "-f", folder]);
    expect(rendered.exitCode).toBe(0);
    expect(rendered.stderr).toContain(fix);
    expect(rendered.stdout).toContain("m.example/a");
  },
);

/** Files that lie beside manifests in many folders, and are none. */
const ofOtherPrograms = {
  "kustomization.yaml":
    "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [mirrors.yaml]\n",
  "imageset.yaml": "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror: {}\n",
  "values.yaml": "replicas: 3\n",
  "Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
  "package.json": '{"name": "a", "version": "1.0.0"}',
  "patch.json": '[{"op": "remove", "path": "/spec"}]',
};

test("When a folder has files of other programs beside manifests, they should be ignored and counted", async () => {
  const folder = await folderOf({
    ...ofOtherPrograms,
    "mirrors.yaml": repeating.slice(0, 1).map(writeManifest).join(),
  });
  const { stderr, exitCode } = await hubrelay(["validate", "-f", folder]);
  expect({ stderr, exitCode }).toEqual({
    stderr: expect.stringMatching(
      /^1 object checked in 7 files, 6 ignored, 0 errors, 0 warnings\nNot read: .*Chart\.yaml, .* and 1 more: no Kubernetes objects\.\nAssumed: .*\n$/,
    ),
    exitCode: 0,
  });
});

test("When a retry or a check is requested for a cluster that the upgrade does not have, validate should warn", async () => {
  const object = anUpgrade({ "hubrelay.dev/retry": "nope,edge1", "hubrelay.dev/check": "all, other" });
  const folder = await folderOf({ "a.yaml": writeManifest(object) });
  const { stderr, exitCode } = await hubrelay(["validate", "-f", folder]);
  expect(stderr).toContain("    nope is not a cluster of this upgrade");
  expect(stderr).toContain("    other is not a cluster of this upgrade");
  expect(stderr).toContain(", 0 errors, 2 warnings");
  expect(exitCode).toBe(0);
});

const aPool = (annotations: Readonly<Record<string, string>>) => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: {
    name: "worker",
    labels: { "machineconfiguration.openshift.io/mco-built-in": "" },
    annotations,
  },
});
const anUpgrade = (annotations: Readonly<Record<string, string>>, spec = {}) => ({
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "ClusterGroupUpgrade",
  metadata: { namespace: "fleet", name: "upgrade", annotations },
  spec: { clusters: ["edge1"], preCaching: true, remediationStrategy: { maxConcurrency: 1 }, ...spec },
});

const onUpgrade = (name: string, value: string, spec = {}) =>
  anUpgrade({ [`hubrelay.dev/${name}`]: value }, spec);
const onHosted = (name: string, value: string) =>
  aHostedCluster({ metadata: { annotations: { [`hubrelay.dev/${name}`]: value } } });
const unreadable = [
  ["the time of the rollout", onUpgrade("enable-after-precaching", "tomorrow"), "EnableTimeInvalid"],
  ["the request to pre-cache", onUpgrade("precaching", "yes"), "InvalidAnnotation"],
  ["the only request", onUpgrade("precaching", "yes", { preCaching: false }), "InvalidAnnotation"],
  ["the limit", anUpgrade({}, { remediationStrategy: { maxConcurrency: 0 } }), "MaxConcurrencyIgnored"],
  ["the take-over of a pool", aPool({ "hubrelay.dev/take-over": "yes" }), "InvalidAnnotation"],
  ["the take-over of a hosted cluster", onHosted("take-over", "yes"), "InvalidAnnotation"],
  ["the source of catalogs", onHosted("olm-catalogs", "mirrors"), "InvalidAnnotation"],
] as const;

test.for(unreadable)(
  "When %s cannot be read, validate and verify should say the same",
  async ([, object, code]) => {
    const folder = await folderOf({ "a.yaml": writeManifest(object) });
    const ofCode = async (command: string) => {
      const { stderr } = await hubrelay([command, "-f", folder]);
      return stderr.split("\n").filter((line) => line.endsWith(`[${code}]`));
    };
    const found = await ofCode("validate");
    expect(found).toHaveLength(1);
    expect(await ofCode("verify")).toEqual(found);
  },
);

test("When a hidden folder has manifests, validate should name it as not read once, but not those of git", async () => {
  const cwd = await folderOf({ "a.yaml": repeating.map(writeManifest).join("---\n") });
  for (const below of [".tekton/mirrors", ".git", ".empty"])
    await mkdir(join(cwd, below), { recursive: true });
  for (const file of [".tekton/mirrors/a.yaml", ".git/a.yaml"]) await writeFile(join(cwd, file), "kind: A\n");
  const { stderr } = await hubrelay(["validate", ".", cwd], { cwd });
  expect(stderr).toMatch(/^Not read: \.tekton: hidden folders\.$/m);
});

test("When two objects conflict, each command should have one issue with both places, which one comment accepts", async () => {
  const setWith = (name: string, policy: object) =>
    writeManifest(aDigestMirrorSet(name, [{ source, mirrors: ["m.example/a"], ...policy }]));
  const [open, closed] = [setWith("one", {}), setWith("two", { mirrorSourcePolicy: "NeverContactSource" })];
  const folder = await folderOf({ "a.yaml": open, "b.yaml": closed });
  const empty = await folderOf({ "c.yaml": setWith("three", {}) });
  for (const command of [["validate"], ["render"], ["diff", empty]]) {
    const { stderr } = await hubrelay([...command, folder]);
    expect(stderr.match(/^\S+(?= error)|See also \S+/gm)).toEqual([
      expect.stringMatching(/b\.yaml:\d+:\d+:$/),
      expect.stringMatching(/a\.yaml:\d+\.$/),
    ]);
  }
  const comment = "# hubrelay:accept ConflictingMirrorSourcePolicy until=2999-12-31 moved in CHG-7";
  const accepted = open.replace(/^.*source: /m, `    ${comment}\n$&`);
  await writeFile(join(folder, "a.yaml"), accepted);
  expect((await hubrelay(["validate", folder])).exitCode).toBe(0);
});

test("When an object is defined twice, an Image that is there should not be assumed to be empty", async () => {
  const [one, two] = ["quay.io/a", "quay.io/b"].map((source) =>
    aDigestMirrorSet("site", [{ source, mirrors: ["m.example/a"] }]),
  );
  const objects = [one, two, anImage("cluster", {})].map((object) => JSON.stringify(object));
  const folder = await folderOf({ "a.yaml": objects.join("\n---\n") });
  const { stdout } = await hubrelay(["validate", folder, "-o", "json"]);
  const { issues, coverage } = JSON.parse(stdout);
  expect(issues).toMatchObject([{ code: "DuplicateObject" }]);
  expect(coverage.assumed.map(({ what }: { what: string }) => what)).not.toContain("image");
});
