import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { foreignMachineConfig, mcoAnnotation, release } from "../support/hub/mirror-config-hub.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aVerifiedPool } from "../support/hub/objects.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const examples = fileURLToPath(new URL("../../examples/hub", import.meta.url));
const other = aDigestMirrorSet("release", [
  { source: "quay.io/openshift-release-dev/ocp-release", mirrors: ["other.example.com/release"] },
]);

/** A folder of manifests: the worker's pool, its MachineConfig as machine-config-operator wrote it, mirror objects. */
async function besideTheOperator(
  mirrorObjects: readonly (typeof release)[],
  image = anImageConfig(),
): Promise<string> {
  const folder = await temporaryFolder();
  const objects = [
    aVerifiedPool("worker"),
    image,
    aClusterVersion(),
    foreignMachineConfig(mcoAnnotation),
    ...mirrorObjects,
  ];
  await writeFile(join(folder, "hub.yaml"), objects.map(writeManifest).join("---\n"));
  return folder;
}

describe("hubrelay verify", () => {
  test("When machine-config-operator holds the expected content, it should report that and exit with 0", async () => {
    const folder = await besideTheOperator([release]);
    const { stdout, stderr, exitCode } = await hubrelay(["verify", "-f", folder]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toMatch(
      /^mirror-config +99-worker-generated-registries +machine-config-operator +in agreement/m,
    );
    expect(stdout).toMatch(/^The hub is up to date\.$/m);
    expect(await readdir(folder)).toEqual(["hub.yaml"]);
  });

  test("When the owner has not followed, it should report the owner and the differences, and exit with 1", async () => {
    const folder = await besideTheOperator([other]);
    const chosen = ["--function", "mirror-config"];
    const { stdout, exitCode } = await hubrelay(["verify", "-f", folder, ...chosen, "-o", "json"]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      hub: "urn:hubrelay:manifests",
      differs: true,
      verifications: expect.arrayContaining([
        expect.objectContaining({
          function: "mirror-config",
          key: "cluster",
          decisions: [
            expect.objectContaining({
              subject: "99-worker-generated-registries",
              owner: "machine-config-operator",
              verdict: "expected",
              differences: expect.arrayContaining([
                "quay.io/openshift-release-dev/ocp-release changed: - registry.hub.example.com:8443/release digest-only, + other.example.com/release digest-only",
              ]),
            }),
          ],
          writes: [],
        }),
      ]),
    });
  });

  test("When hubrelay owns a hub that it has not written yet, it should report what it would write", async () => {
    const folder = await temporaryFolder();
    await cp(examples, folder, { recursive: true, filter: (path) => !path.endsWith("mistake.yaml") });
    const { stdout, exitCode } = await hubrelay(["verify", "-f", folder]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^mirror-config +create +MachineConfig\/99-worker-generated-registries/m);
    expect(stdout).toMatch(/^ +docker\.io added: \+ blocked$/m);
    expect(stdout).toMatch(/^Something differs in mirror-config\.$/m);
  });

  test("When the live hub has settled, it should hold the expected content and stay as it is", async () => {
    const folder = await temporaryFolder();
    const from = join(folder, "from");
    await cp(examples, from, { recursive: true });
    await rm(join(from, "mistake.yaml"));
    await hubrelay(["dev", "--once", "--from", from], { cwd: folder });
    const pool = "hub/machineconfigs.machineconfiguration.openshift.io/99-worker-generated-registries.yaml";
    const before = await readFile(join(folder, pool), "utf8");
    const live = await hubrelay(["verify", "-o", "json"], { hub: `directory:${join(folder, "hub")}` });
    expect(live.exitCode).toBe(0);
    expect(JSON.parse(live.stdout)).toMatchObject({ differs: false });
    expect(await readFile(join(folder, pool), "utf8")).toBe(before);
  });
});

const fleet = fileURLToPath(new URL("../../examples/fleet", import.meta.url));
const planned = /ClusterGroupUpgrade\/fleet\/fleet-4-20 .*11 precache, 1 leave out/;
const chosen = ["--function", "precache-plan"];

test("When a folder of manifests has an update graph, verify should plan with it, as precache plan does", async () => {
  const { stdout, stderr } = await hubrelay(["verify", "-f", fleet, ...chosen]);
  expect({ stdout, stderr }).toEqual({ stdout: expect.stringMatching(planned), stderr: "" });
});
