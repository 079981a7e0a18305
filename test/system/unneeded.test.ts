import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { anImageConfig } from "../support/hub/objects.ts";
import { aPolicy, aWantedRelease } from "../support/precache/precache-plan-objects.ts";
import { aHubThatRuns, aStoredRelease } from "../support/ready/stored-releases.ts";
import { respondJson } from "../support/servers/scripted-api.ts";
import { type ScriptedImage, scriptedImage, scriptedRegistry } from "../support/servers/scripted-registry.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const base = { base: "1".repeat(1000) };

/** A registry with releases 4.19.1 and 4.20.4, which share a component, an application and a signature; its catalog has two pages. */
async function aRegistry(more: Readonly<Record<string, ScriptedImage>> = {}) {
  const both = await scriptedImage({ layers: [base] });
  const gone = await scriptedImage({ layers: [base, { old: "1" }] });
  const [old, current] = [
    await aStoredRelease("4.19.1", [both, gone]),
    await aStoredRelease("4.20.4", [both]),
  ];
  const held = new Map([
    ["ocp/openshift/release-images:4.19.1-x86_64", old],
    ["ocp/openshift/release-images:4.20.4-x86_64", current],
    [
      `ocp/openshift/release-images:${old.digest.replace(":", "-")}.sig`,
      await scriptedImage({ layers: [{ sig: "1" }] }),
    ],
    ["ocp/openshift/release:4.19.1-x86_64-both", both],
    ["ocp/openshift/release:4.19.1-x86_64-gone", gone],
    ["ocp/apps/web:v1", await scriptedImage({ layers: [{ web: "1" }] })],
    ["ocp/apps/web:v2", await scriptedImage({ layers: [{ web: "2" }] })],
    ["elsewhere/app:v1", await scriptedImage()],
    ...Object.entries(more),
  ]);
  const names = [...new Set([...held.keys()].map((name) => name.replace(/:.*/, "")))];
  const registry = await scriptedRegistry(held, ({ path, query }) => {
    if (path !== "/v2/_catalog") return undefined;
    return (_, response) =>
      query.last === "x"
        ? respondJson(response, 200, { repositories: names.slice(2) })
        : respondJson(
            response,
            200,
            { repositories: names.slice(0, 2) },
            { link: '</v2/_catalog?last=x&n=1000>; rel="next"' },
          );
  });
  const { host } = registry;
  const objects: readonly KubernetesObject[] = [
    ...aHubThatRuns(host, "4.20.4", `${host}/ocp/openshift/release-images@${current.digest}`),
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web" },
      spec: { containers: [{ image: `${host}/ocp/apps/web:v2` }] },
    },
  ];
  return { registry, host, objects, old, gone, web: held.get("ocp/apps/web:v1") };
}

const unneeded = (objects: readonly KubernetesObject[], ...args: readonly string[]) =>
  hubrelay(["unneeded", ...args, "-f", "-"], { stdin: objects.map(writeManifest).join("---\n") });

describe("hubrelay unneeded", () => {
  test("When no cluster needs a release, it should be listed with its signature and own components, and the rest named", async () => {
    const { host, objects, old, gone } = await aRegistry();
    const { stdout, stderr, exitCode } = await unneeded(objects, `${host}/ocp`, "-o", "json");
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const { images, notJudged, bytes } = JSON.parse(stdout);
    expect(images).toHaveLength(3);
    const byTag = Object.fromEntries(images.map((one: { tags: string[] }) => [one.tags.join(), one]));
    expect(byTag).toMatchObject({
      "4.19.1-x86_64-gone": { repository: `${host}/ocp/openshift/release`, digest: gone.digest },
      "4.19.1-x86_64": { repository: `${host}/ocp/openshift/release-images`, digest: old.digest },
      [`${old.digest.replace(":", "-")}.sig`]: { repository: `${host}/ocp/openshift/release-images` },
    });
    expect(notJudged).toMatchObject([{ repository: `${host}/ocp/apps/web`, bytes: expect.any(Number) }]);
    expect(bytes).toBe(images.reduce((sum: number, image: { bytes: number }) => sum + image.bytes, 0));
    expect(images[0].bytes).toBeLessThan(gone.size);
  });

  test("When the list is for oc-mirror, it should have digests and the types of its own paths", async () => {
    const { host, objects, old, gone, web } = await aRegistry();
    const own = ["--own", `${host}/ocp/apps`];
    const { stdout, exitCode } = await unneeded(objects, `${host}/ocp`, ...own, "-o", "delete-image-list");
    expect(exitCode).toBe(0);
    const item = (path: string, digest: string | undefined, type: string) => ({
      imageName: `${host}/ocp/${path}@${digest}`,
      imageReference: `docker://${host}/ocp/${path}@${digest}`,
      type,
    });
    const { items, ...list } = parse(stdout);
    expect(list).toEqual({ apiVersion: "mirror.openshift.io/v2alpha1", kind: "DeleteImageList" });
    expect(items).toEqual(
      expect.arrayContaining([
        item("apps/web", web?.digest, "generic"),
        item("openshift/release", gone.digest, "ocpReleaseContent"),
        item("openshift/release-images", old.digest, "ocpRelease"),
      ]),
    );
    expect(items).toHaveLength(4);
  });

  test("When a catalog is in use, all its bundles should stay, and bundles of no catalog be listed", async () => {
    const [bundle, related, old] = await Promise.all(
      ["bundle", "related", "old"].map((name) => scriptedImage({ layers: [{ [name]: "1" }] })),
    );
    const operator = {
      schema: "olm.bundle",
      package: "sriov",
      name: "sriov.v1",
      image: `registry.redhat.io/sriov@${bundle?.digest}`,
      relatedImages: [{ image: `registry.redhat.io/sriov@${related?.digest}` }],
    };
    const index = await scriptedImage({
      labels: { "operators.operatorframework.io.index.configs.v1": "/configs" },
      layers: [{ "configs/sriov/catalog.json": JSON.stringify(operator) }],
    });
    if (!bundle || !related || !old) throw new Error("no images");
    const images = { "ocp/olm/sriov:b": bundle, "ocp/olm/sriov:r": related, "ocp/olm/sriov:o": old };
    const { host, objects } = await aRegistry({ ...images, "ocp/olm/index:v4.20": index });
    const { stdout } = await unneeded(objects, `${host}/ocp/olm`, "--own", `${host}/ocp/olm`, "-o", "json");
    const { images: listed, unknown } = JSON.parse(stdout);
    expect(unknown).toEqual([]);
    expect(listed.map(({ digest }: { digest: string }) => digest)).toEqual([old.digest]);
  });

  test.for([
    { field: "desiredUpdate", template: { version: "4.{{ .Minor }}" }, may: "releases 4.*", exit: 0 },
    { field: "image", template: "{{ .Image }}", may: "any image", exit: 1 },
  ])(
    "When a policy has a template that may name $may, nothing of it should be listed, and the policy be named",
    async ({ field, template, may, exit }) => {
      const { host, objects } = await aRegistry();
      const policy = aPolicy("platform", [aWantedRelease({ [field]: template })]);
      const { stdout, exitCode } = await unneeded([...objects, policy], host);
      expect(exitCode).toBe(exit);
      expect(stdout).toMatch(/^0 images that nothing needs/);
      expect(stdout).toMatch(/platform has a template in \w+, which may name /);
      expect(stdout).toContain(`may name ${may}`);
    },
  );

  test("When a catalog is older than every release that clusters ran, it should be listed with its own operators", async () => {
    const anIndex = (name: string, ...images: readonly ScriptedImage[]) => {
      const [image, ...related] = images.map(({ digest }) => `registry.redhat.io/sriov@${digest}`);
      const relatedImages = [...related.map((one) => ({ image: one })), { image: "quay.io/x/tool:t1" }];
      const operator = { schema: "olm.bundle", package: "sriov", name, image, relatedImages };
      return scriptedImage({
        labels: { "operators.operatorframework.io.index.configs.v1": "/configs" },
        layers: [{ "configs/sriov/catalog.json": JSON.stringify(operator) }],
      });
    };
    const [bundle, shared, old, tool, other] = await Promise.all(
      ["bundle", "shared", "old", "tool", "other"].map((name) =>
        scriptedImage({ layers: [{ [name]: "1" }] }),
      ),
    );
    if (!bundle || !shared || !old || !tool || !other) throw new Error("no images");
    const gone = await anIndex("sriov.v0", old, shared);
    const { host, objects } = await aRegistry({
      "ocp/olm/sriov:b": bundle,
      "ocp/olm/sriov:s": shared,
      "ocp/olm/sriov:o": old,
      "ocp/olm/sriov:other": other,
      "ocp/olm/tool:t1": tool,
      "ocp/olm/index:v4.20": await anIndex("sriov.v1", bundle, shared),
      "ocp/olm/index:v4.18": gone,
    });
    const { stdout } = await unneeded(objects, `${host}/ocp/olm`, "-o", "json");
    const { images: listed, unknown, notJudged } = JSON.parse(stdout);
    expect(unknown).toEqual([]);
    expect(new Set(listed.map(({ digest }: { digest: string }) => digest))).toEqual(
      new Set([old.digest, gone.digest]),
    );
    expect(notJudged).toMatchObject([{ repository: `${host}/ocp/olm/tool` }]);
  });

  test("When the destination is a repository, which oc-mirror refuses, the command should name the path above", async () => {
    const { host, objects } = await aRegistry();
    const args = [`${host}/ocp/openshift/release-images`, "-o", "delete-image-list"];
    expect(await unneeded(objects, ...args)).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringContaining("name the path above it"),
    });
  });

  test("When the live hub has a cluster that does not report, it should be named, and its releases be kept", async () => {
    const { host, objects } = await aRegistry();
    const folder = await temporaryFolder();
    const cluster = {
      apiVersion: "cluster.open-cluster-management.io/v1",
      kind: "ManagedCluster",
      metadata: { name: "sno1", labels: { openshiftVersion: "4.20.4" } },
    };
    await writeFile(join(folder, "hub.yaml"), [...objects, cluster].map(writeManifest).join("---\n"));
    const args = ["unneeded", `${host}/ocp`, "-o", "delete-image-list"];
    const { stdout, stderr, exitCode } = await hubrelay(args, { hub: `directory:${folder}` });
    expect({ exitCode, items: parse(stdout).items }).toEqual({ exitCode: 0, items: [] });
    expect(stderr).toMatch(
      /More is kept than objects name: ManagedCluster\/sno1 does not report what it runs: it may be every release from 4.18 on/,
    );
  });

  test.for([
    {
      what: "no cluster is given",
      keep: (kind: string) => kind !== "ClusterVersion",
      reason: "no cluster is known",
    },
    { what: "a release cannot be read", keep: () => true, reason: "4.18.1" },
  ])("When $what, nothing should be listed", async ({ keep, reason }) => {
    const { host, objects } = await aRegistry();
    const pool = {
      apiVersion: "hypershift.openshift.io/v1beta1",
      kind: "NodePool",
      metadata: { name: "p" },
      status: { version: "4.18.1" },
    };
    const { stdout, exitCode } = await unneeded([...objects.filter(({ kind }) => keep(kind)), pool], host);
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(reason) });
    expect(stdout).toMatch(/^0 images/);
  });

  test("When the registry refuses its catalog, the command should end with 2", async () => {
    const registry = await scriptedRegistry(new Map(), () => (_, response) => respondJson(response, 403, {}));
    const objects = [anImageConfig({ insecureRegistries: [registry.host] })];
    expect(await unneeded(objects, registry.host)).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test.for([
    { args: ["--own", "m.lan/apps"], problem: "--own needs -f" },
    { args: ["m2.lan", "-o", "delete-image-list"], problem: "needs one registry" },
  ])("When the arguments are $args, the command should refuse them", async ({ args, problem }) => {
    const { exitCode, stderr } = await hubrelay(["unneeded", "m.lan", ...args]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(problem) });
  });
});
