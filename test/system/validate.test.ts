import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { aHostedCluster, hypershiftFinalizer } from "../support/hosted-clusters/hosted-cluster-hub.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const source = "quay.io/openshift-release-dev/ocp-release";
const repeating = [
  aDigestMirrorSet("one", [{ source, mirrors: ["m.example/a", "m.example/b"] }]),
  aDigestMirrorSet("two", [{ source, mirrors: ["m.example/a", "m.example/c"] }]),
];
const warning = `warning: ImageDigestMirrorSet/two spec.imageDigestMirrors[0].mirrors[0] "m.example/a": ImageDigestMirrorSet/one spec.imageDigestMirrors[0] has this mirror for the same source already. Fix: `;

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test("When two objects have one mirror of a source, validate should warn as verify does", async () => {
  const cluster = aHostedCluster("shop", { metadata: { finalizers: [hypershiftFinalizer] } });
  const folder = await folderOf({
    "mirrors.yaml": repeating.map(writeManifest).join("---\n"),
    "cluster.yaml": writeManifest(cluster),
  });
  const verified = await hubrelay(["verify", "-f", folder]);
  const validated = await hubrelay(["validate", "-f", join(folder, "mirrors.yaml")]);
  expect(verified.stderr).toContain(warning);
  expect(validated).toMatchObject({ stderr: expect.stringContaining(warning), exitCode: 0 });
  const compat = await hubrelay(["validate", "-f", folder, "--compat", "mco"]);
  expect(compat.stderr).not.toContain(warning);
});

test("When two files define one object differently, validate should name both and exit with 1", async () => {
  const [one, two] = repeating;
  const renamed = { ...two, metadata: { ...two?.metadata, name: "one" } };
  const folder = await folderOf({ "a.yaml": JSON.stringify(one), "b.yaml": JSON.stringify(renamed) });
  const { stderr, exitCode } = await hubrelay(["validate", "-f", folder]);
  expect(exitCode).toBe(1);
  expect(stderr.replaceAll(`${folder}/`, "")).toMatch(
    /^b\.yaml:1:\d+: error: ImageDigestMirrorSet\/one metadata\.name "one": Defined differently in a\.yaml:1, b\.yaml:1; the definition in b\.yaml:1 is used\. Fix: Keep one of them, or rename the others\. \[DuplicateObject\]\n1 object checked in 2 files, 0 ignored, 1 error, 0 warnings\n$/,
  );
});

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
    stderr: "1 object checked in 7 files, 6 ignored, 0 errors, 0 warnings\n",
    exitCode: 0,
  });
});

test("When a folder has only files of other programs, there should be nothing to check", async () => {
  const { stderr, exitCode } = await hubrelay(["validate", "-f", await folderOf(ofOtherPrograms)]);
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
