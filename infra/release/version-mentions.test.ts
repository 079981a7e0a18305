import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { hubrelay } from "../../test/system/cli-in-process.ts";
import { paths } from "../paths.ts";
import { pagesAndManifests, versionsIn, withVersion } from "./version-mentions.ts";

const texts = await pagesAndManifests();

test("When a page or a manifest names hubrelay's version, it should be that of package.json", () => {
  const named = [...texts].filter(([, text]) => versionsIn(text).length > 0);
  expect(named.map(([file]) => file)).toEqual(
    expect.arrayContaining(["docs/install.md", "infra/kubernetes/overlays/aws-sqs/kustomization.yaml"]),
  );
  const others = named.filter(([, text]) => versionsIn(text).some((it) => it !== packageJson.version));
  expect(others.map(([file]) => file)).toEqual([]);
});

test("When npm has its own copies of the version, they should be that of package.json", async () => {
  const { version, packages } = JSON.parse(await readFile(join(paths.root, "package-lock.json"), "utf8"));
  expect([version, packages[""].version]).toEqual([packageJson.version, packageJson.version]);
});

test("When the command prints its version, it should be that of package.json", async () => {
  expect((await hubrelay(["--version"])).stdout).toBe(`${packageJson.version}\n`);
});

test("When a version is released, the CHANGELOG should have a section for it, below that of unreleased changes", async () => {
  const changelog = await readFile(join(paths.root, "CHANGELOG.md"), "utf8");
  const headings = [...changelog.matchAll(/^## (\S+)/gm)].map(([, heading]) => heading);
  expect(headings.slice(0, 2)).toEqual(["Unreleased", packageJson.version]);
});

test.for([
  ["an archive", "npm install ./hubrelay-0.1.0.tgz", "npm install ./hubrelay-0.2.0.tgz"],
  [
    "an image",
    "registry.example.com/hubrelay/hubrelay:0.1.0",
    "registry.example.com/hubrelay/hubrelay:0.2.0",
  ],
  ["a local image", "podman run hubrelay:0.1.0 version", "podman run hubrelay:0.2.0 version"],
  [
    "the tag of a kustomization",
    "    newName: registry.example.com/hubrelay/hubrelay\n    newTag: 0.1.0\n  - name: elasticmq\n    newTag: 0.1.0\n",
    "    newName: registry.example.com/hubrelay/hubrelay\n    newTag: 0.2.0\n  - name: elasticmq\n    newTag: 0.1.0\n",
  ],
  [
    "the pre-cache workload",
    "registry.example.com/hubrelay/precache-workload:0.1.0",
    "registry.example.com/hubrelay/precache-workload:0.1.0",
  ],
])("When the version changes, %s should be named as expected", ([, before = "", after]) => {
  expect(withVersion(before, "0.2.0")).toBe(after);
});

test("When a page or a manifest names an image of hubrelay's, it should be in a registry that nobody can take", () => {
  const hosts = [...texts]
    // The release pushes an image to hubrelay's own repository.
    .filter(([file]) => !/^(?:\.github|test)\//.test(file))
    .flatMap(([, text]) => [...text.matchAll(/([\w.:-]+)\/hubrelay\/(?:hubrelay|precache-workload)[:@\n]/g)])
    .map(([, host = ""]) => host);
  expect(new Set(hosts)).toEqual(new Set(["registry.example.com"]));
});
