import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { sharedFolder, temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const examples = fileURLToPath(new URL("../../examples/hub", import.meta.url));

describe("commands on the live hub", () => {
  const folder = sharedFolder();
  let hub = "";
  beforeAll(async () => {
    await hubrelay(["dev", "--once"], { cwd: folder.path });
    hub = `directory:${join(folder.path, "hub")}`;
  }, 60_000);

  test("When render has no -f, it should render what the hub holds", async () => {
    const live = await hubrelay(["render"], { hub });
    const given = await hubrelay(["render", "-f", examples]);
    expect(live).toMatchObject({ stdout: given.stdout, exitCode: 1 });
  });

  test("When explain has no -f, it should use what the hub holds", async () => {
    const { stdout } = await hubrelay(
      ["explain", `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`],
      { hub },
    );
    expect(stdout).toContain("registry.hub.example.com:8443/openshift/release-images");
  });

  test("When hosted explain has no -f, it should use what the hub holds", async () => {
    const image = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;
    const live = await hubrelay(["hosted", "explain", image], { hub });
    const given = await hubrelay(["hosted", "explain", image, "-f", examples]);
    expect(live.stdout).toContain("registry.hub.example.com:8443/openshift/release-images");
    expect(live).toMatchObject({ stdout: given.stdout, exitCode: given.exitCode });
  });

  test("When diff compares the hub with a folder, it should report what the folder would change", async () => {
    await writeFile(
      join(folder.path, "none.yaml"),
      "apiVersion: config.openshift.io/v1\nkind: Image\nmetadata: {name: cluster}\n",
    );
    const { stdout } = await hubrelay(["diff", "hub", join(folder.path, "none.yaml"), "-o", "json"], { hub });
    expect(JSON.parse(stdout)).toMatchObject({ cost: "drain" });
  });

  test("When convert has no -f, it should convert the policies that the hub holds", async () => {
    const { stdout, exitCode } = await hubrelay(["convert"], { hub });
    const given = await hubrelay(["convert", "-f", join(examples, "operator-mirrors.yaml")]);
    expect(stdout).toContain("kind: ImageDigestMirrorSet");
    expect({ stdout, exitCode }).toEqual({ stdout: given.stdout, exitCode: 0 });
  });

  test("When convert checks the hub's policies, it should include everything that the hub holds", async () => {
    const { stdout, exitCode } = await hubrelay(["convert", "--check"], { hub });
    expect({ stdout, exitCode }).toMatchObject({
      stdout: expect.stringContaining("No node changes"),
      exitCode: 0,
    });
  });

  test("When convert has no -f and the hub no policies, it should report that", async () => {
    const { stderr, exitCode } = await hubrelay(["convert", "--check"], {
      hub: `directory:${await temporaryFolder()}`,
    });
    expect({ stderr, exitCode }).toEqual({
      stderr: "hubrelay: The hub has no ImageContentSourcePolicies or older source policies.\n",
      exitCode: 0,
    });
  });

  test.for([
    ["windows", "nonsense", "HUBRELAY_HUB has no adapter; it should be like directory:/mnt/hub"],
    ["hosted", `kubeconfig:${join(examples, "hosted-clusters.yaml")}`, "names no cluster"],
    ["validate", "kubeconfig:/nowhere", "/nowhere"],
    [
      "verify",
      "directory:/nowhere/typo",
      "HUBRELAY_HUB is directory:/nowhere/typo, a folder that does not exist",
    ],
    ["precache status", "kubeconfig:/nowhere", "/nowhere"],
    ["precache retry upgrade", "nonsense", "HUBRELAY_HUB has no adapter"],
  ])(
    "When %s reads the hub %s, it should exit 2 with one line that names the error",
    async ([command = "", wrong = "", reported = ""]) => {
      const { stdout, stderr, exitCode } = await hubrelay(command.split(" "), { hub: wrong });
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
      expect(stderr).toMatch(/^hubrelay: .+\n$/);
      expect(stderr).toContain(reported);
    },
  );

  test("When convert runs with --compat oc, it should require files", async () => {
    const { stderr, exitCode } = await hubrelay(["convert", "--compat", "oc"], { hub });
    expect({ stderr, exitCode }).toEqual({
      stderr: "hubrelay: --compat oc converts files, as oc does. Name them with -f.\n",
      exitCode: 2,
    });
  });
});
