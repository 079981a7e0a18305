import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { applyCommand, packageFile } from "./package-files.ts";

const root = packageFile(".");

test.for([
  { where: "in the package", from: root, command: "kubectl apply -k infra/crds" },
  { where: "in a folder of the package", from: join(root, "infra"), command: "kubectl apply -k crds" },
  {
    where: "elsewhere",
    from: join(root, "../elsewhere"),
    command: `kubectl apply -k ${join(root, "infra/crds")}`,
  },
])("When somebody is $where, the command that installs the kinds should work there", ({ from, command }) => {
  expect(applyCommand("infra/crds", from)).toBe(command);
});

test.for(["infra/crds", "infra/hub-rbac"])(
  "When the command applies %s, the npm package should have the folder's manifests",
  async (folder) => {
    expect(packageJson.files).toContain(`${folder}/*.yaml`);
    expect(await readdir(packageFile(folder))).toContain("kustomization.yaml");
  },
);
