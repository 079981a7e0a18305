import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { aHostedCluster } from "../support/hosted-clusters/hosted-cluster-hub.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const source = "quay.io/openshift-release-dev/ocp-release";
const repeating = [
  aDigestMirrorSet("one", [{ source, mirrors: ["m.example/a", "m.example/b"] }]),
  aDigestMirrorSet("two", [{ source, mirrors: ["m.example/a", "m.example/c"] }]),
];
const contradicting = [
  aDigestMirrorSet("one", [{ source, mirrors: ["m.example/a", "m.example/b"] }]),
  aDigestMirrorSet("two", [{ source, mirrors: ["m.example/b", "m.example/a"] }]),
];

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test("When two objects repeat a mirror and nothing is lost, validate should report nothing", async () => {
  const folder = await folderOf({ "mirrors.yaml": repeating.map(writeManifest).join("---\n") });
  const { stderr, exitCode } = await hubrelay(["validate", "-f", folder]);
  expect({ stderr, exitCode }).toEqual({
    stderr: expect.stringMatching(
      /^2 objects checked in 1 file, 0 ignored, 0 errors, 0 warnings\nAssumed: .*\n$/,
    ),
    exitCode: 0,
  });
});

test("When two objects contradict each other's order, validate and verify should say whose order applies", async () => {
  const folder = await folderOf({
    "mirrors.yaml": contradicting.map(writeManifest).join("---\n"),
    "pool.yaml": writeManifest(aPool({ "hubrelay.dev/take-over": "true" })),
  });
  const warning =
    /warning: ImageDigestMirrorSet\/two spec\.imageDigestMirrors\[0\]\.mirrors \["m\.example\/b","m\.example\/a"\]: \[\w+\]\n {4}This order is lost:[\s\S]* The order of ImageDigestMirrorSet\/one spec\.imageDigestMirrors\[0\] applies:/;
  for (const command of ["validate", "verify"])
    expect((await hubrelay([command, "-f", folder])).stderr).toMatch(warning);
});

test("When two files define one object differently, validate should name both and exit with 1", async () => {
  const [one, two] = repeating;
  const renamed = { ...two, metadata: { ...two?.metadata, name: "one" } };
  const folder = await folderOf({ "a.yaml": JSON.stringify(one), "b.yaml": JSON.stringify(renamed) });
  const { stderr, exitCode } = await hubrelay(["validate", "-f", folder]);
  expect(exitCode).toBe(1);
  expect(stderr.replaceAll(`${folder}/`, "")).toMatch(
    /^b\.yaml:1:\d+: error: ImageDigestMirrorSet\/one metadata\.name "one": Defined differently in 2 places; \[DuplicateObject\]\n {4}this definition is used\.\n {4}See also a\.yaml:1\.\n {4}Fix: Keep one of them, or rename the others\.\n2 objects checked in 2 files, 0 ignored, 1 error, 0 warnings\nAssumed: .*\n$/,
  );
});

test("When two folders define one object differently, each definition should be checked by itself", async () => {
  const folder = await temporaryFolder();
  const set = (source: string) =>
    writeManifest(aDigestMirrorSet("site", [{ source, mirrors: ["m.example/x"] }]));
  for (const env of ["prod", "stage"]) {
    await mkdir(join(folder, env));
    await writeFile(join(folder, env, "mirrors.yaml"), set(`${env}.example:x/y`));
  }
  const { stderr, exitCode } = await hubrelay(["validate", "-f", folder]);
  expect(exitCode).toBe(1);
  expect(
    [...stderr.matchAll(/(\w+)\/mirrors\.yaml:\d+:\d+: error: .*\[(\w+)\]/g)].map(([, ...found]) => found),
  ).toEqual([
    ["prod", "InvalidSource"],
    ["stage", "InvalidSource"],
  ]);
  expect(stderr).toContain("2 objects checked in 2 files, 0 ignored, 2 errors, 1 warning");
});

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
    /a\.yaml:18:11: error: ImageDigestMirrorSet\/site .*\[InvalidSource\]\n(?: {4}.*\n)+1 object checked/,
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

test("When a folder has only files of other programs, there should be nothing to check", async () => {
  const plain = { ...ofOtherPrograms, "kustomization.yaml": "resources: []\n" };
  const { stderr, exitCode } = await hubrelay(["validate", "-f", await folderOf(plain)]);
  expect(stderr).toContain("has no objects of a kind that hubrelay checks. Name other manifests");
  expect(exitCode).toBe(2);
});

test("When a file that is no manifest is named, validate should say so", async () => {
  const folder = await folderOf(ofOtherPrograms);
  const { stderr, exitCode } = await hubrelay(["validate", "-f", join(folder, "values.yaml")]);
  expect(stderr).toContain("values.yaml:1:1: error: apiVersion: It is missing.");
  expect(exitCode).toBe(1);
});

test("When a misspelt kind of a group that hubrelay reads has no name, validate should say so", async () => {
  const text = "apiVersion: config.openshift.io/v1\nkind: ImageDigestMirorSet\n";
  const { stderr, exitCode } = await hubrelay(["validate", "-f", await folderOf({ "a.yaml": text })]);
  expect(stderr).toContain("a.yaml:1:1: error: metadata.name: It is missing.");
  expect(exitCode).toBe(1);
});

test("When there are only MachineConfigs that write files of mirrors, they should be checked", async () => {
  const files = [
    { path: "/etc/containers/registries.conf.d/9.conf", contents: { source: "data:,a%20%3D%201" } },
  ];
  const machineConfig = {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name: "99-x", labels: { "machineconfiguration.openshift.io/role": "worker" } },
    spec: { config: { ignition: { version: "3.4.0" }, storage: { files } } },
  };
  const { stderr, exitCode } = await hubrelay(["validate", "-f", "-"], {
    stdin: JSON.stringify(machineConfig),
  });
  expect(stderr).toContain("1 object checked in 1 file, 0 ignored, 0 errors");
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

const unreadable = [
  {
    what: "the time of the rollout",
    object: anUpgrade({ "hubrelay.dev/enable-after-precaching": "tomorrow" }),
    code: "EnableTimeInvalid",
  },
  {
    what: "the request to pre-cache",
    object: anUpgrade({ "hubrelay.dev/precaching": "yes" }),
    code: "InvalidAnnotation",
  },
  {
    what: "the only request to pre-cache",
    object: anUpgrade({ "hubrelay.dev/precaching": "yes" }, { preCaching: false }),
    code: "InvalidAnnotation",
  },
  {
    what: "the number of clusters at a time",
    object: anUpgrade({}, { remediationStrategy: { maxConcurrency: 0 } }),
    code: "MaxConcurrencyIgnored",
  },
  {
    what: "the take-over of a pool",
    object: aPool({ "hubrelay.dev/take-over": "yes" }),
    code: "InvalidAnnotation",
  },
  {
    what: "the take-over of a hosted cluster",
    object: aHostedCluster("shop", { metadata: { annotations: { "hubrelay.dev/take-over": "yes" } } }),
    code: "InvalidAnnotation",
  },
  {
    what: "the source of a hosted cluster's catalogs",
    object: aHostedCluster("shop", { metadata: { annotations: { "hubrelay.dev/olm-catalogs": "mirrors" } } }),
    code: "InvalidAnnotation",
  },
  {
    what: "the choice of a hosted cluster's content sources",
    object: aHostedCluster("shop", {
      metadata: { annotations: { "hubrelay.dev/image-content-sources": "some" } },
    }),
    code: "InvalidAnnotation",
  },
];

test.for(unreadable)(
  "When $what cannot be read, validate and verify should say the same",
  async ({ object, code }) => {
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

test("When a retry or a check is requested for a cluster that the upgrade does not have, validate should warn", async () => {
  const object = anUpgrade({ "hubrelay.dev/retry": "nope,edge1", "hubrelay.dev/check": "all, other" });
  const folder = await folderOf({ "a.yaml": writeManifest(object) });
  const { stderr, exitCode } = await hubrelay(["validate", "-f", folder]);
  expect(stderr).toMatch(/retry"\]: \[ClusterNotFound\]\n {4}nope is not a cluster of this upgrade/);
  expect(stderr).toMatch(/check"\]: \[ClusterNotFound\]\n {4}other is not a cluster of this upgrade/);
  expect(stderr).toContain(", 0 errors, 2 warnings");
  expect(exitCode).toBe(0);
});

test("When an annotation of hubrelay has an unknown name, validate should warn with the nearest one", async () => {
  const folder = await folderOf({
    "a.yaml": writeManifest(anUpgrade({ "hubrelay.dev/max-per-sites": "3" })),
  });
  const { stderr, exitCode } = await hubrelay(["validate", "-f", folder]);
  expect(stderr).toContain("    Fix: Write hubrelay.dev/max-per-site, or remove it.\n");
  expect(exitCode).toBe(0);
});

test("When an object has an invalid name, validate should report its other errors as well", async () => {
  const named = anUpgrade({ "hubrelay.dev/precaching": "yes" });
  const object = { ...named, metadata: { ...named.metadata, name: "Up_Grade" } };
  const folder = await folderOf({ "a.yaml": writeManifest(object) });
  const { stderr, exitCode } = await hubrelay(["validate", "-f", folder]);
  expect(stderr.match(/\[\w+\]$/gm)).toEqual(["[InvalidName]", "[InvalidAnnotation]"]);
  expect(stderr).toContain("1 object checked in 1 file, 0 ignored, 2 errors, 0 warnings");
  expect(exitCode).toBe(1);
});

test("When a hidden folder has manifests, validate should name it as not read, but not those of git", async () => {
  const cwd = await folderOf({ "a.yaml": writeManifest(anUpgrade({})) });
  for (const below of [".tekton/mirrors", ".git", ".empty"])
    await mkdir(join(cwd, below), { recursive: true });
  for (const file of [".tekton/mirrors/a.yaml", ".git/a.yaml"]) await writeFile(join(cwd, file), "kind: A\n");
  const { stderr } = await hubrelay(["validate", "."], { cwd });
  expect(stderr).toMatch(/^Not read: \.tekton: hidden folders\.$/m);
});

test("When files have several issues, validate should report them in the order of files and lines", async () => {
  const folder = await folderOf({
    "b.yaml": writeManifest(anUpgrade({ "hubrelay.dev/odd": "1", "hubrelay.dev/precaching": "yes" })),
    "a.yaml": [...contradicting, aPool({ "hubrelay.dev/take-over": "yes" })].map(writeManifest).join("---\n"),
  });
  const { stderr } = await hubrelay(["validate", "-f", folder]);
  const places = [...stderr.matchAll(/^.*\/([ab]\.yaml:\d+):.*\[(\w+)\]$/gm)];
  expect(places.map(([, place, code]) => `${place} ${code}`)).toEqual([
    "a.yaml:25 ContradictingOrder",
    "a.yaml:36 InvalidAnnotation",
    "b.yaml:7 UnknownAnnotation",
    "b.yaml:8 InvalidAnnotation",
  ]);
});
