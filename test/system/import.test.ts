import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { anImageContentSourcePolicy } from "#shared/domain/mirrors/fixtures.ts";
import { anImageConfig, aPool } from "../support/hub/objects.ts";
import { aRun, aWorkspace, objectsOf } from "../support/oc-mirror/cluster-resources.ts";
import { makeSigner, signatureLayers, signatureTag } from "../support/servers/cosign-signatures.ts";
import { respondJson } from "../support/servers/scripted-api.ts";
import {
  scriptedImage,
  scriptedIndex,
  scriptedRegistry,
  scriptedSignatures,
} from "../support/servers/scripted-registry.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const quiet = { catalog: `mirror.lan:8443/redhat/redhat-operator-index@sha256:${"c".repeat(64)}` };

async function importing(workspace: string, hub: readonly KubernetesObject[], ...args: readonly string[]) {
  const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items: [aPool("worker"), ...hub] });
  return hubrelay(["import", workspace, "-f", "-", ...args], { stdin });
}

const changesIn = (stdout: string): Readonly<Record<string, string>> => {
  const { objects }: { objects: readonly { name: string; change: string }[] } = JSON.parse(stdout);
  return Object.fromEntries(objects.map(({ name, change }) => [name, change]));
};

test("When a hub has nothing of it, every object should be new, in the order in which they work", async () => {
  const workspace = await aWorkspace(aRun(quiet));
  const { stdout, exitCode } = await importing(workspace, [], "-o", "json");
  const report = JSON.parse(stdout);
  expect(exitCode).toBe(0);
  expect(report.objects.map(({ wave, name }: { wave: string; name: string }) => `${wave} ${name}`)).toEqual([
    "signatures mirrored-release-signatures",
    "mirrors idms-operator-0",
    "mirrors idms-release-0",
    "mirrors itms-release-0",
    "catalogs cs-redhat-operator-index-v4-20",
    "catalogs cc-redhat-operator-index-v4-20",
    "update-service update-service-oc-mirror",
  ]);
  expect(new Set(Object.values(changesIn(stdout)))).toEqual(new Set(["new"]));
  expect(report.coverage).toMatchObject({
    complete: false,
    read: expect.arrayContaining([{ what: "CatalogSource", count: 1 }]),
    unread: [],
    assumed: expect.arrayContaining([
      { what: "side", text: "the hub configures no mirror, and every entry is added" },
      { what: "image", text: "an empty Image" },
    ]),
  });
  // A new tag mirror drains.
  expect(report.cost).toMatchObject({ cost: "drain", pools: [{ name: "worker", cost: "drain" }] });
  const required = await importing(workspace, [], "--require-coverage");
  expect(required).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("[NotCovered]") });
  const table = await importing(join(workspace, "working-dir"), []);
  expect(table.stdout).toMatch(/\n\nAssumed: the hub configures no .*\.\n$/);
  expect(table.stdout).toContain("wait until every pool is updated");
  expect(table.stdout.indexOf("idms-release-0")).toBeLessThan(table.stdout.indexOf("wait until"));
});

test("When a dry run of oc-mirror is beside its manifests, it should be called one", async () => {
  const workspace = await aWorkspace(aRun(quiet));
  const folder = join(workspace, "working-dir", "dry-run");
  await mkdir(folder);
  await writeFile(join(folder, "mapping.txt"), "");
  const { stderr, exitCode } = await importing(workspace, []);
  expect(stderr).toContain(
    "is of a dry run of oc-mirror, which writes manifests for images that it does not mirror",
  );
  expect(exitCode).toBe(0);
});

test.for([
  ["v2, whose manifests need the name of a registry,", "working-dir/dry-run", "."],
  ["v2, in its own folder", "dry-run", "."],
  ["v1", "oc-mirror-workspace", "."],
  ["v1, in its own folder", "oc-mirror-workspace", "oc-mirror-workspace"],
] as const)(
  "When a dry run of oc-mirror %s wrote no manifests, it should be called one",
  async ([, below, named]) => {
    const workspace = await temporaryFolder();
    await mkdir(join(workspace, below), { recursive: true });
    await writeFile(join(workspace, below, "mapping.txt"), "a=b");
    const { stderr, exitCode } = await importing(join(workspace, named), []);
    expect(stderr).toContain(
      "is of a dry run of oc-mirror, which mirrors nothing: run it without --dry-run.",
    );
    expect(exitCode).toBe(2);
  },
);

test.for(["", "oc-mirror-workspace"])(
  "When oc-mirror v1 wrote policies below '%s', those of its newest run should be mirrors",
  async (below) => {
    const workspace = await temporaryFolder();
    for (const [time, name] of [
      ["999", "generic-9"],
      ["1639608409", "generic-0"],
    ] as const) {
      const folder = join(workspace, below, `results-${time}`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "mapping.txt"), "a=b");
      const policy = anImageContentSourcePolicy(name, [{ source: "quay.io/a", mirrors: ["m.lan/a"] }]);
      await writeFile(join(folder, "imageContentSourcePolicy.yaml"), JSON.stringify(policy));
    }
    const stdin = JSON.stringify(aPool("worker"));
    const args = ["import", workspace, "-f", "-", "-o", "json"];
    const { stdout, stderr, exitCode } = await hubrelay(args, { cwd: workspace, stdin });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      objects: [{ kind: "ImageContentSourcePolicy", name: "generic-0", wave: "mirrors", change: "new" }],
      cost: { cost: "reload" },
      coverage: {
        unread: [{ what: join(below, "results-999"), why: "older-run", count: 1 }],
      },
    });
    expect(stderr).not.toMatch(/NotOfOcMirror|DryRun/);
    const written = await hubrelay([...args.slice(0, 4), "--dir", join(workspace, "out")], { stdin });
    expect(written.stderr).toContain("an older run of oc-mirror v1 wrote it");
  },
);

test("When the objects are written, there should be a file for each wave, without times", async () => {
  const workspace = await aWorkspace(aRun(quiet));
  const out = join(workspace, "out");
  const { exitCode } = await importing(workspace, [], "--dir", out);
  expect(exitCode).toBe(0);
  const files = (await readdir(out)).sort();
  expect(files).toEqual(["1-signatures.yaml", "2-mirrors.yaml", "4-catalogs.yaml", "5-update-service.yaml"]);
  const text = (await Promise.all(files.map((file) => readFile(join(out, file), "utf8")))).join("---\n");
  expect(text).not.toContain("createdAt");
  const written = readManifests(text, "out").objects.map(({ object }) => object);
  // What is written means the same to a node.
  const filesOf = (objects: readonly KubernetesObject[]) => configureMirrors({ objects }).registriesConf;
  expect(filesOf(written)).toBe(filesOf(objectsOf(aRun(quiet))));

  // Applied as it is, it is no longer a change.
  const again = await importing(workspace, written, "-o", "json");
  expect(new Set(Object.values(changesIn(again.stdout)))).toEqual(new Set(["unchanged"]));
});

test("When policies are proposed, they should be for the sources of what the mirrors have, except for what a policy requires already", async () => {
  const signer = makeSigner();
  const [release, operator] = [await scriptedImage({ layers: [{ a: "1" }] }), await scriptedImage()];
  const signaturesOf = (digest: string, name: string) =>
    scriptedSignatures(signatureLayers(digest, name, [signer]));
  const publisher = "quay.io/openshift-release-dev/ocp-release";
  const vendor = "registry.redhat.io/openshift4/operator";
  const attestation = {
    mediaType: "application/vnd.in-toto+json",
    content: Buffer.from("{}"),
    annotations: {},
  };
  const held = new Map([
    ["openshift/release-images:4.20.4", release],
    [
      `openshift/release-images:${signatureTag(release.digest)}`,
      signaturesOf(release.digest, `${publisher}:4.20.4`),
    ],
    ["openshift4/operator:v1", operator],
    [`openshift4/operator:${signatureTag(operator.digest)}`, signaturesOf(operator.digest, vendor)],
    ["openshift4/bare:v1", operator],
    // Attached by a builder: no node pulls it.
    ["openshift4/operator:provenance", scriptedSignatures([attestation])],
    ["openshift4/half:v1", operator],
    [`openshift4/half:${signatureTag(operator.digest)}`, signaturesOf(operator.digest, vendor)],
    ["second/half:v1", operator],
    // A list, whose image was signed under another tag than that of the list.
    ["openshift/release-images:multi", scriptedIndex([{ image: release, architecture: "amd64" }])],
    ["elsewhere/app:v1", operator],
  ]);
  const repositories = [...new Set([...held.keys()].map((name) => name.replace(/:.*/, "")))];
  const { host } = await scriptedRegistry(held, ({ path }) =>
    path === "/v2/_catalog" ? (_, response) => respondJson(response, 200, { repositories }) : undefined,
  );
  const operators = [
    { source: "registry.redhat.io/openshift4", mirrors: [`${host}/openshift4`, `${host}/second`] },
    { source: "*.vendor.lan", mirrors: [`${host}/openshift4`] },
  ];
  const workspace = await aWorkspace(aRun({ mirror: host, operator: operators }));
  const key = join(await temporaryFolder(), "vendor.pub");
  await writeFile(key, signer.publicKey);
  const insecure = anImageConfig({ insecureRegistries: [host] });
  const { stdout, stderr } = await importing(workspace, [insecure], "--policies", "--key", key);
  const proposed = readManifests(stdout, "stdout").objects.map(({ object }) => object);
  expect(proposed.map(({ kind, spec }) => [kind, Object(spec).scopes])).toEqual([
    ["ClusterImagePolicy", [publisher, vendor]],
  ]);
  expect(Object(proposed[0]?.spec).policy.signedIdentity).toEqual({ matchPolicy: "MatchRepository" });
  expect(stderr).toContain("no policy for registry.redhat.io/openshift4/bare");
  expect(stderr).toContain("no policy for registry.redhat.io/openshift4/half");
  expect(stderr).toContain("no policy for *.vendor.lan");
  expect(stderr).not.toContain("elsewhere");
  const again = await importing(workspace, [insecure, ...proposed], "--policies", "--key", key);
  expect(again.stdout).toBe("");
});
