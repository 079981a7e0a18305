import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const entry = (source: string, mirror: string) =>
  `[[registry]]\nlocation = "${source}"\n[[registry.mirror]]\nlocation = "${mirror}"\npull-from-mirror = "digest-only"\n`;

describe("hubrelay diff with MachineConfigs that people write", () => {
  const path = "/etc/containers/registries.conf.d/99-tags.conf";
  const machineConfig = (name: string, spec: object, annotations = {}) => ({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name, labels: { "machineconfiguration.openshift.io/role": "worker" }, annotations },
    spec,
  });
  const writing = (contents: string) => ({
    config: {
      ignition: { version: "3.2.0" },
      storage: { files: [{ path, contents: { source: `data:,${encodeURIComponent(contents)}` } }] },
    },
  });
  const dropIn = machineConfig("99-worker-tags", writing(entry("quay.io", "tags.example.com")));
  const ofOperator = machineConfig(
    "00-worker",
    {},
    { "machineconfiguration.openshift.io/generated-by-controller-version": "abc" },
  );
  const rules = JSON.stringify({
    apiVersion: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    metadata: { name: "acme" },
    spec: { imageDigestMirrors: [{ source: "quay.io/ns", mirrors: ["m.example.com/ns"] }] },
  });
  const side = (...objects: readonly object[]) => [rules, ...objects.map((object) => JSON.stringify(object))];
  const diffOf = async (
    before: ReturnType<typeof side>,
    after: ReturnType<typeof side>,
    ...args: readonly string[]
  ) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "before.yaml"), before.join("\n---\n"));
    await writeFile(join(folder, "after.yaml"), after.join("\n---\n"));
    return hubrelay(["diff", join(folder, "before.yaml"), join(folder, "after.yaml"), ...args]);
  };

  test("When only the new side has one, the drop-in and its scopes should cost a reboot of that pool", async () => {
    const { stdout, exitCode } = await diffOf(side(), side(dropIn), "-o", "json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      cost: "reboot",
      changes: [
        { path, kind: "added", cost: "reboot", rule: { code: "no-policy" } },
        { scope: "quay.io", file: path, kind: "added", cost: "reboot" },
      ],
      pools: [
        { name: "master", cost: "none" },
        { name: "worker", cost: "reboot" },
      ],
    });
  });

  test("When the old side is a whole cluster and the new one has none, they should stay", async () => {
    const { stdout, stderr } = await diffOf(side(dropIn, ofOperator), side());
    expect(stdout).toContain("Nothing changes on any node");
    expect(stderr).toBe("");
  });
});
