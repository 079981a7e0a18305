import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { revisionOf } from "#shared/domain/precache-model/precaching-spec.ts";
import { cguLabels } from "#shared/domain/precache-model/work-identity.ts";
import { withWorkloadImage } from "#shared/domain/precache-model/workload-image.ts";
import {
  aCatalogSource,
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aSubscription,
  aWantedRelease,
} from "../support/precache/precache-plan-objects.ts";
import {
  basicOf,
  challenge,
  pullSecretFor,
  type ScriptedImage,
  scriptedImage,
  scriptedRegistry,
} from "../support/servers/scripted-registry.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const source = "quay.lab.test/ocp";
const layersOf = ({ blobs, manifest }: ScriptedImage) => {
  const { layers }: { layers: readonly { digest: string }[] } = JSON.parse(manifest);
  return layers.map(({ digest }) => [digest, blobs.get(digest)?.length ?? 0] as const);
};

/** A mirror with a release of one image and an additional image, which share a layer; and a hub that pulls there. */
async function aFleet(
  guard?: Parameters<typeof scriptedRegistry>[1],
  options?: Parameters<typeof scriptedRegistry>[2],
) {
  const base = { "etc/base": "base".repeat(500) };
  const component = await scriptedImage({ layers: [base, { cli: "1" }] });
  const references = JSON.stringify({
    spec: { tags: [{ name: "cli", from: { name: `${source}/art@${component.digest}` } }] },
  });
  const release = await scriptedImage({
    layers: [base, { "release-manifests/image-references": references }],
  });
  const own = await scriptedImage({ layers: [base, { own: "2" }] });
  const index = await scriptedImage({ layers: [{ "configs/index.json": "{}" }] });
  const images = [component, release, own, index];
  const registry = await scriptedRegistry(
    new Map(images.map((image, number) => [`mirror/any:${number}`, image])),
    guard,
    options,
  );
  const platformImage = `${source}/release@${release.digest}`;
  const bytes = [...new Map(images.flatMap(layersOf)).values()].reduce((sum, size) => sum + size, 0);
  const mirrors = { apiVersion: "config.openshift.io/v1", kind: "ImageDigestMirrorSet" };
  const objects: readonly KubernetesObject[] = [
    anUpgrade(
      { preCachingConfigRef: { name: "config" } },
      { annotations: { "hubrelay.dev/site-label": "site" } },
    ),
    aPolicy("platform", [
      aWantedRelease({ desiredUpdate: { version: "4.20.3", image: platformImage } }),
      aCatalogSource(`${source}/index@${index.digest}`),
      aSubscription("sriov", "stable"),
    ]),
    aPreCachingConfig({ spaceRequired: "30Gi", additionalImages: [`${source}/own@${own.digest}`] }),
    aManagedCluster("sno1", { labels: { site: "oslo" } }),
    aManagedCluster("sno2", { labels: { site: "oslo" } }),
    {
      ...mirrors,
      metadata: { name: "lab" },
      spec: { imageDigestMirrors: [{ source, mirrors: [`${registry.host}/mirror`] }] },
    },
    {
      ...mirrors,
      kind: "Image",
      metadata: { name: "cluster" },
      spec: { registrySources: { insecureRegistries: [registry.host] } },
    },
  ];
  return { registry, bytes, objects };
}

const plan = (objects: readonly KubernetesObject[], ...args: readonly string[]) =>
  hubrelay(["precache", "plan", "-f", "-", "--hub-version", "4.20", ...args], {
    stdin: objects.map(writeManifest).join("---\n"),
  });

test("When sizes are requested, the mirror should return them, without a layer of any image but the release's", async () => {
  const { registry, bytes, objects } = await aFleet();
  const { stdout, exitCode } = await plan(objects, "--sizes", "-o", "json");
  const [{ sizes, spec }] = JSON.parse(stdout);
  const common = { architecture: "amd64", totalBytes: bytes, missingBytes: bytes, site: "oslo" };
  expect(sizes.clusters).toMatchObject([
    { name: "sno1", ...common },
    { name: "sno2", ...common },
  ]);
  expect(sizes.sites).toEqual([{ site: "oslo", clusters: 2, missingBytes: 2 * bytes }]);
  expect(sizes.notCounted).toMatchObject([{ name: spec.operatorsIndexes[0] }]);
  expect(exitCode).toBe(0);
  const manifests = registry.calls.filter(
    ({ method, path }) => method === "GET" && path.includes("/manifests/"),
  );
  expect(manifests).toHaveLength(4);
  // The configuration of the release, and its layer that lists its images.
  expect(registry.calls.filter(({ path }) => path.includes("/blobs/"))).toHaveLength(2);
});

test("When the mirror objects are refused, no size should be known, with the reason", async () => {
  const { registry, objects } = await aFleet();
  const imageDigestMirrors = [{ source: `${source}:v1`, mirrors: [`${registry.host}/mirror`] }];
  const wrong = {
    apiVersion: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    metadata: { name: "wrong" },
  };
  const { stdout } = await plan(
    [...objects, { ...wrong, spec: { imageDigestMirrors } }],
    "--sizes",
    "-o",
    "json",
  );
  const [{ sizes }] = JSON.parse(stdout);
  expect(sizes.clusters[0].totalBytes).toBeNull();
  const reasons: readonly string[] = sizes.notCounted.map(({ reason }: { reason: string }) => reason);
  expect(reasons).toContain("the mirror objects are refused, so that the rules of nodes are not known");
  expect(registry.calls).toEqual([]);
});

test("When they are shown to a person, clusters, the site and what is not counted should have their lines", async () => {
  const { objects } = await aFleet();
  const { stdout } = await plan(objects, "--sizes");
  expect(stdout).toMatch(/CLUSTER +ACTION +TOTAL +MISSING +REASON/);
  expect(stdout).toMatch(/sno2 +precache +\S+ (?:B|KiB) +\S+ (?:B|KiB) +It/);
  expect(stdout).toMatch(/site oslo +2 clusters +\S+ (?:B|KiB)/);
  expect(stdout).toMatch(/not counted +quay\.lab\.test\/ocp\/index@sha256:\w+: the index image is counted/);
});

test("When the live hub has a report of this content, what it reports as done should not be missing", async () => {
  const { bytes, objects } = await aFleet();
  const folder = await temporaryFolder();
  const read = await plan(objects, "-o", "json");
  const [{ spec }] = JSON.parse(read.stdout);
  const workloadImage = "quay.io/lab/workload:1";
  const inHub = objects.map((object) =>
    object.kind === "ClusterGroupUpgrade" ? withWorkloadImage(object, workloadImage) : object,
  );
  const record = { reason: "Pulling", message: "", attempt: 1, since: "2026-03-01T02:00:00Z" };
  const report = (name: string, revision: string, bytesDone: number) => ({
    apiVersion: "hubrelay.dev/v1alpha1",
    kind: "PreCachingReport",
    metadata: { name, namespace: "ztp", labels: cguLabels({ namespace: "ztp", name: "upgrade" }) },
    revision,
    clusters: {
      sno1: { ...record, state: "Active", bytesDone },
    },
  });
  const reports = [
    report("upgrade-0", revisionOf({ spec, workloadImage }), 100),
    report("upgrade-1", "0123456789", 200),
  ];
  await writeFile(join(folder, "hub.yaml"), [...inHub, ...reports].map(writeManifest).join("---\n"));
  const { stdout, exitCode } = await hubrelay(["precache", "plan", "--sizes", "-o", "json"], {
    hub: `directory:${folder}`,
  });
  const [{ sizes }] = JSON.parse(stdout);
  expect(sizes.clusters).toMatchObject([
    { name: "sno1", totalBytes: bytes, missingBytes: bytes - 100 },
    { name: "sno2", totalBytes: bytes, missingBytes: bytes },
  ]);
  expect(exitCode).toBe(0);
});

test("When registries require a login, it should use the hub's pull secret, and never show it", async () => {
  const login = basicOf("ztp", "hunter2");
  const { registry, objects, bytes } = await aFleet(
    ({ headers }) =>
      headers.authorization === `Basic ${login}` ? undefined : challenge('Basic realm="lab"'),
    { isTls: true },
  );
  const folder = await temporaryFolder();
  const pullSecret: KubernetesObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "pull-secret", namespace: "openshift-config" },
    data: { ".dockerconfigjson": Buffer.from(pullSecretFor({ [registry.host]: login })).toString("base64") },
  };
  const results = await Promise.all(
    [[], [pullSecret]].map(async (secrets, index) => {
      const hub = join(folder, String(index));
      await mkdir(hub);
      await writeFile(join(hub, "hub.yaml"), [...objects, ...secrets].map(writeManifest).join("---\n"));
      return hubrelay(["precache", "plan", "--sizes", "-o", "json"], { hub: `directory:${hub}` });
    }),
  );
  const totals = results.map(({ stdout }) => JSON.parse(stdout)[0].sizes.clusters[0].totalBytes);
  expect(totals).toEqual([null, bytes]);
  expect(results.map(({ stdout, stderr }) => (stdout + stderr).includes("hunter2"))).toEqual([false, false]);
});
