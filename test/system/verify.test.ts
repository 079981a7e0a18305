import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { aMachineConfig, dropInPath } from "#shared/domain/openshift/machine-config/fixtures.ts";
import {
  aHostedCluster,
  controlPlaneOf,
  hypershiftFinalizer,
} from "../support/hosted-clusters/hosted-cluster-hub.ts";
import { foreignMachineConfig, mcoAnnotation, release, storage } from "../support/hub/mirror-config-hub.ts";
import {
  aClusterVersion,
  aDigestMirrorSet,
  anImageConfig,
  aPool,
  aVerifiedPool,
} from "../support/hub/objects.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay, onOneLine } from "./cli-in-process.ts";

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

  test("When manifests have a generated MachineConfig and no pool, it should be compared", async () => {
    const folder = await temporaryFolder();
    const objects = [anImageConfig(), aClusterVersion(), foreignMachineConfig(mcoAnnotation), other];
    await writeFile(join(folder, "hub.yaml"), objects.map(writeManifest).join("---\n"));
    const { stdout, exitCode } = await hubrelay(["verify", "-f", folder, "--function", "mirror-config"]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^mirror-config +99-worker-generated-registries +machine-config-operator +expected/m,
    );
    expect(stdout).not.toContain("99-master");
  });

  describe("beside a MachineConfig that writes a drop-in", () => {
    const source = "quay.io/openshift-release-dev/ocp-release";
    const text = `[[registry]]\nlocation = "${source}"\n[[registry.mirror]]\nlocation = "tags.example.com/release"\n`;
    const dropIn = aMachineConfig("99-worker-tags", { [dropInPath]: text });
    const besideDropIn = async (...others: readonly (typeof dropIn)[]) => {
      const folder = await besideTheOperator([release]);
      await writeFile(join(folder, "dropIn.yaml"), [dropIn, ...others].map(writeManifest).join("---\n"));
      return ["verify", "-f", folder, "--function", "mirror-config"];
    };

    test("When its pool is compared, it should be named, and the pool should not be in agreement", async () => {
      const { stdout, stderr, exitCode } = await hubrelay(await besideDropIn());
      expect(exitCode).toBe(0);
      expect(stdout).not.toContain("in agreement");
      expect(stdout).not.toContain("up to date");
      expect(stdout).toMatch(
        /^mirror-config +99-worker-generated-registries +machine-config-operator +compared in part +compared without \/etc\/containers\/registries\.conf\.d\/99-tags\.conf of MachineConfig 99-worker-tags on pool worker; /m,
      );
      expect(stdout).toMatch(/^Nothing differs in what was compared\.$/m);
      expect(onOneLine(stderr)).toContain(
        `warning: ImageDigestMirrorSet/release spec.imageDigestMirrors[0]: Nodes do not use this rule of ${source}: `,
      );
      expect(onOneLine(stderr)).toMatch(
        /MachineConfig 99-worker-tags writes .*\[OverriddenByMachineConfig\]/,
      );
    });

    test("When the result is JSON, it should have the files that were not compared", async () => {
      const args = await besideDropIn(aPool("infra", { labels: {} }));
      const { verifications, coverage } = JSON.parse((await hubrelay([...args, "-o", "json"])).stdout);
      expect(coverage.unread).toEqual([
        { what: `MachineConfig/99-worker-tags ${dropInPath}`, why: "not-checked", count: 2 },
      ]);
      const file = { machineConfig: "99-worker-tags", path: dropInPath };
      expect(verifications[0].decisions).toMatchObject([
        {
          verdict: "compared in part",
          comparedWithout: [
            { pool: "infra", ...file },
            { pool: "worker", ...file },
          ],
        },
      ]);
      expect(verifications[0].issues).toMatchObject([{ code: "OverriddenByMachineConfig" }]);
    });

    test("When everything has to be covered, the file should be an error, and the text should end with it", async () => {
      const line = `Not read: MachineConfig/99-worker-tags ${dropInPath}: not checked.`;
      const { stdout, stderr, exitCode } = await hubrelay([...(await besideDropIn()), "--require-coverage"]);
      expect({ end: stdout.split("\n").slice(-2), exitCode }).toEqual({ end: [line, ""], exitCode: 1 });
      expect(stderr).toContain(`error: Coverage/input: ${line}`);
    });

    test("When nodes refuse the file, it should be an error", async () => {
      const broken = aMachineConfig("99-worker-z", { [dropInPath]: "[[registry" });
      const { stderr, exitCode } = await hubrelay(await besideDropIn(broken));
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/error: MachineConfig\/99-worker-z .*\[InvalidNodeFile\]/);
    });
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

  test("When another release is named, its form should be what is compared", async () => {
    const folder = await besideTheOperator([
      release,
      {
        apiVersion: "config.openshift.io/v1alpha1",
        kind: "ClusterImagePolicy",
        metadata: { name: "signed" },
        spec: { scopes: ["a.example.com"], policy: {} },
      },
    ]);
    const codesOf = async (...args: readonly string[]) => {
      const { stdout } = await hubrelay([
        "verify",
        "-f",
        folder,
        "--function",
        "mirror-config",
        "-o",
        "json",
        ...args,
      ]);
      const { verifications } = JSON.parse(stdout);
      return verifications[0].issues.map(({ code }: { code: string }) => code);
    };
    expect(await codesOf("--release-version", "4.18.2")).toContain("InvalidImagePolicy");
    expect(await codesOf("--release-version", "4.20.2")).toEqual(["WrongApiVersion"]);
  });

  test("When the operator's policy rejects images of the release, it should warn with their repositories", async () => {
    const repositories = ["ocp-release", "ocp-v4.0-art-dev"];
    const mirrored = aDigestMirrorSet(
      "ocp",
      repositories.map((name) => ({
        source: `quay.io/openshift-release-dev/${name}`,
        mirrors: [`m.example.com/${name}`],
      })),
    );
    const image = anImageConfig({ blockedRegistries: ["quay.io"] });
    const folder = await besideTheOperator([mirrored], image);
    const { stderr } = await hubrelay(["verify", "-f", folder, "--function", "mirror-config"]);
    expect(stderr.match(/\[PayloadRejected\]/g)).toHaveLength(1);
    expect(onOneLine(stderr)).toContain(
      'warning: Image/cluster spec.registrySources.blockedRegistries[0]: with "quay.io" blocked, the policy.json of machine-config-operator rejects images of the release in "quay.io/openshift-release-dev/ocp-v4.0-art-dev"',
    );
  });

  test("When HyperShift has not followed, it should report the owner and the differences, and exit with 1", async () => {
    const cluster = aHostedCluster("shop", {
      metadata: { finalizers: [hypershiftFinalizer] },
      spec: { imageContentSources: [{ source: "quay.io/ns", mirrors: ["m.example.com/ns"] }] },
    });
    const folder = await temporaryFolder();
    const objects = [cluster, ...controlPlaneOf(cluster, { overrides: "=" })];
    await writeFile(join(folder, "hub.yaml"), objects.map(writeManifest).join("---\n"));
    const { stdout, exitCode } = await hubrelay(["verify", "-f", folder, "--function", "hosted-clusters"]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^hosted-clusters +clusters\/shop ControlPlane +HyperShift's operator +expected/m);
    expect(stdout).toMatch(/^ +spec\.imageContentSources differs in the HostedControlPlane\.$/m);
    expect(stdout).toMatch(/^Something differs in hosted-clusters\.$/m);
  });

  test("When an object is refused, it should name it, and exit with 1 although nothing differs", async () => {
    const folder = await besideTheOperator([release, storage]);
    const { stdout, stderr, exitCode } = await hubrelay(["verify", "-f", folder, "-o", "yaml"]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("verdict: refused");
    expect(stdout).toContain("differs: false");
    expect(stderr).toContain("error: ImageDigestMirrorSet/storage-team spec.imageDigestMirrors[0].source");
  });

  test("When an issue is about several hosted clusters, it should be printed once", async () => {
    const mirrors = [{ source: "quay.io/openshift-release-dev/ocp-release", mirrors: ["m.example/a:v1"] }];
    const objects = [
      aDigestMirrorSet("tagged", mirrors),
      aHostedCluster("shop", { metadata: { finalizers: [hypershiftFinalizer] } }),
      aHostedCluster("bank", { metadata: { finalizers: [hypershiftFinalizer] } }),
    ];
    const folder = await temporaryFolder();
    await writeFile(join(folder, "hub.yaml"), objects.map(writeManifest).join("---\n"));
    const { stderr } = await hubrelay(["verify", "-f", folder, "--function", "hosted-clusters"]);
    expect(stderr.match(/invalid format for mirror/g)).toHaveLength(1);
  });

  test("When the hub has no pools, as one that is itself hosted, it should still name what is refused", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "hub.yaml"), [release, storage].map(writeManifest).join("---\n"));
    const { stdout, stderr, exitCode } = await hubrelay(["verify", "-f", folder]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^mirror-config +MachineConfigs +hubrelay +not needed/m);
    expect(stdout).toMatch(/^Nothing differs, but objects have errors: see standard error\.$/m);
    expect(stderr).toContain("error: ImageDigestMirrorSet/storage-team spec.imageDigestMirrors[0].source");
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

  test("When the hub is a folder without objects, there should be nothing to check", async () => {
    const { stdout, stderr, exitCode } = await hubrelay(["verify"], {
      hub: `directory:${await temporaryFolder()}`,
    });
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toMatch(
      /^hubrelay: nothing to check: the hub .+ has no object that a function reconciles\. /,
    );
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

  test.for([
    {
      args: ["verify", "--function", "other"],
      reported: "no such function: other; known functions: hosted-clusters, ",
    },
    { args: ["verify"], reported: "No kubeconfig names a hub" },
  ])(
    "When the arguments are $args, it should report the error and exit with 2",
    async ({ args, reported }) => {
      expect(await hubrelay(args)).toMatchObject({ stderr: expect.stringContaining(reported), exitCode: 2 });
    },
  );
});

const fleet = fileURLToPath(new URL("../../examples/fleet", import.meta.url));
const planned = /ClusterGroupUpgrade\/fleet\/fleet-4-20 .*11 precache, 1 leave out/;
const chosen = ["--function", "precache-plan"];

test("When a folder of manifests has an update graph, verify should plan with it, as precache plan does", async () => {
  const { stdout, stderr } = await hubrelay(["verify", "-f", fleet, ...chosen]);
  expect({ stdout, stderr }).toEqual({ stdout: expect.stringMatching(planned), stderr: "" });
});

test("When the folder of a hub has an update graph, commands on the hub should use it and no server", async () => {
  const folder = await temporaryFolder();
  await cp(fleet, folder, { recursive: true });
  const hub = `directory:${folder}`;
  expect((await hubrelay(["verify", ...chosen], { hub })).stdout).toMatch(planned);
  expect((await hubrelay(["precache", "plan"], { hub })).stdout).toContain("11 of 12 clusters pre-cache");
  const variables = { HUBRELAY_UPDATE_GRAPH: join(folder, "missing.json") };
  expect((await hubrelay(["verify", ...chosen], { hub, variables })).stderr).toContain("missing.json");
});
