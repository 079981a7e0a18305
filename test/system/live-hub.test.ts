import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { sharedFolder, temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const manifests = fileURLToPath(new URL("../../examples/hub", import.meta.url));

describe("commands on the live hub", () => {
  const folder = sharedFolder();
  let hub = "";
  /** The examples without their error. */
  let examples = "";
  beforeAll(async () => {
    examples = join(folder.path, "examples");
    await cp(manifests, examples, { recursive: true, filter: (path) => !path.endsWith("mistake.yaml") });
    await hubrelay(["dev", "--once", "--from", examples], { cwd: folder.path });
    hub = `directory:${join(folder.path, "hub")}`;
  }, 60_000);

  const image = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;
  test.for([
    ["render", "registry.hub.example.com:8443/openshift/release-images", ""],
    [`hosted explain ${image}`, "registry.hub.example.com:8443/openshift/release-images", ""],
    ["convert", "kind: ImageDigestMirrorSet", "operator-mirrors.yaml"],
  ] as const)("When %s has no -f, it should read what the hub holds", async ([command, shown, file]) => {
    const live = await hubrelay(command.split(" "), { hub });
    const given = await hubrelay([...command.split(" "), "-f", join(examples, file)]);
    expect(live.stdout).toContain(shown);
    expect(live).toMatchObject({ stdout: given.stdout, exitCode: 0 });
  });

  test("When diff compares the hub with a folder, it should report what the folder would change", async () => {
    await writeFile(
      join(folder.path, "none.yaml"),
      "apiVersion: config.openshift.io/v1\nkind: Image\nmetadata: {name: cluster}\n",
    );
    const { stdout } = await hubrelay(["diff", "hub", join(folder.path, "none.yaml"), "-o", "json"], { hub });
    expect(JSON.parse(stdout)).toMatchObject({ cost: "drain" });
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

  describe("with a NodePool that names a ConfigMap", () => {
    const image = `registry.redhat.io/a/b@sha256:${"a".repeat(64)}`;
    const object = (apiVersion: string, kind: string, name: string, fields: object) =>
      JSON.stringify({ apiVersion, kind, metadata: { name, namespace: "clusters" }, ...fields });
    const release = { image: "quay.io/openshift-release-dev/ocp-release:4.20.4-multi" };
    const mirrors = (mirror: string) =>
      `apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata: {name: own}\nspec: {imageDigestMirrors: [{source: registry.redhat.io, mirrors: ["${mirror}"]}]}\n`;
    const hubWith = async (mirror: string, name = "mirrors") => {
      const folder = await temporaryFolder();
      const hypershift = "hypershift.openshift.io/v1beta1";
      const spec = {
        clusterName: "shop",
        replicas: 1,
        arch: "amd64",
        release,
        config: [{ name: "mirrors" }],
      };
      const objects = [
        object(hypershift, "HostedCluster", "shop", { spec: { release } }),
        object(hypershift, "NodePool", "blue", { spec }),
        object("v1", "ConfigMap", name, { data: { config: mirrors(mirror) } }),
      ];
      await writeFile(join(folder, "all.yaml"), objects.join("\n---\n"));
      return { folder, hub: `directory:${folder}` };
    };
    const explained = ["hosted", "explain", image, "clusters/shop", "--node-pool", "blue", "-o", "json"];

    test("When the nodes' mirrors are asked for, those of the ConfigMap should be among them", async () => {
      const { folder, hub: own } = await hubWith("mirror.lab.example/redhat");
      const live = await hubrelay(explained, { hub: own });
      expect(JSON.parse(live.stdout)).toMatchObject({
        candidates: [{ reference: expect.stringMatching(/^mirror\.lab\.example\/redhat/), taken: true }, {}],
      });
      expect(live.stdout).toBe((await hubrelay([...explained, "-f", folder])).stdout);
    });
  });
});

test("When the console is ended by a signal, it should have printed its address, and exit with 0", async () => {
  const before = process.listenerCount("SIGTERM");
  const running = hubrelay(["console", "--port", "0"], { hub: `directory:${await temporaryFolder()}` });
  await expect.poll(() => process.listenerCount("SIGTERM")).toBe(before + 1);
  process.listeners("SIGTERM").at(-1)?.("SIGTERM");
  const stdout = expect.stringMatching(
    /^Console of file:.*: http:\/\/127\.0\.0\.1:\d+\S*\nPress Ctrl-C to end\.\n$/,
  );
  expect(await running).toEqual({ stdout, stderr: "", exitCode: 0 });
});
