import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { aDigestMirrorSet, anImageConfig } from "../support/hub/objects.ts";
import { imageSetConfiguration } from "../support/oc-mirror/image-set-configuration.ts";
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
  makeSigner,
  type Signer,
  signatureLayers,
  signatureTag,
} from "../support/servers/cosign-signatures.ts";
import { authority, keylessSigner, subject } from "../support/servers/keyless-signer.ts";
import {
  basicOf,
  challenge,
  pullSecretFor,
  type ScriptedImage,
  scriptedImage,
  scriptedRegistry,
  scriptedSignatures,
} from "../support/servers/scripted-registry.ts";
import { trustedByProxy } from "../support/servers/server-certificate.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const publisher = "quay.io/openshift-release-dev";
const configs = "operators.operatorframework.io.index.configs.v1";

/** A mirror with a release of two images and a catalog, and the mirror set that names it. */
async function aMirror(
  without: readonly string[] = [],
  guard?: Parameters<typeof scriptedRegistry>[1],
  { version = "4.20.4", signer }: Readonly<{ version?: string; signer?: Signer }> = {},
) {
  const cli = await scriptedImage({ layers: [{ base: "1" }, { cli: "1" }] });
  const etcd = await scriptedImage({ layers: [{ base: "1" }, { etcd: "1" }] });
  const component = (name: string, { digest }: ScriptedImage) => ({
    name,
    from: { name: `${publisher}/ocp-v4.0-art-dev@${digest}` },
  });
  const references = JSON.stringify({
    metadata: { name: version },
    spec: { tags: [component("cli", cli), component("etcd", etcd)] },
  });
  const release = await scriptedImage({ layers: [{ "release-manifests/image-references": references }] });
  const operator = await scriptedImage({ layers: [{ operator: "1" }] });
  const operatorImage = `registry.redhat.io/sriov/operator@${operator.digest}`;
  const catalog = [
    { schema: "olm.package", name: "sriov", defaultChannel: "stable" },
    { schema: "olm.channel", package: "sriov", name: "stable", entries: [{ name: "sriov.v1" }] },
    { schema: "olm.bundle", package: "sriov", name: "sriov.v1", image: operatorImage, relatedImages: [] },
  ];
  const old = JSON.stringify({ schema: "olm.package", name: "gone", defaultChannel: "stable" });
  const index = await scriptedImage({
    labels: { [configs]: "/configs" },
    layers: [
      { "configs/gone/catalog.json": old, "configs/sriov/catalog.json": "{}" },
      {
        "configs/.wh.gone": "",
        "configs/sriov/catalog.json": catalog.map((one) => JSON.stringify(one)).join("\n"),
      },
    ],
  });
  const all = {
    [`openshift/release-images:${version}-x86_64`]: release,
    "openshift/release:cli": cli,
    "openshift/release:etcd": etcd,
    "olm/index:v4.20": index,
    "redhat/sriov/operator:1": operator,
  };
  const held = new Map(Object.entries(all).filter(([name]) => !without.includes(name)));
  // As Red Hat signs them: the release image with its tag, the others without one.
  const signedNames = {
    "openshift/release-images": [release, `${publisher}/ocp-release:${version}-x86_64`],
    "openshift/release": [cli, `${publisher}/ocp-v4.0-art-dev`],
  } as const;
  for (const [path, [{ digest }, name]] of Object.entries(signer ? signedNames : {}))
    held.set(
      `${path}:${signatureTag(digest)}`,
      scriptedSignatures(signatureLayers(digest, name, signer ? [signer] : [])),
    );
  const registry = await scriptedRegistry(held, guard);
  const { host } = registry;
  const objects: readonly KubernetesObject[] = [
    aDigestMirrorSet(
      "release",
      [
        { source: `${publisher}/ocp-release`, mirrors: [`${host}/openshift/release-images`] },
        { source: `${publisher}/ocp-v4.0-art-dev`, mirrors: [`${host}/openshift/release`] },
        { source: "registry.redhat.io", mirrors: [`${host}/redhat`] },
      ].map((rule) => ({ ...rule, mirrorSourcePolicy: "NeverContactSource" })),
    ),
    anImageConfig({ insecureRegistries: [host] }),
  ];
  return { registry, host, objects, release, images: { cli, etcd, operator, index }, operatorImage };
}

async function ready(objects: readonly KubernetesObject[], ...args: readonly string[]) {
  const stdin = objects.map(writeManifest).join("---\n");
  return hubrelay(["ready", "-f", "-", ...args], { stdin });
}

const statuses = (stdout: string) => {
  const { ready: isReady, summary }: { ready: boolean; summary: { byStatus: object } } = JSON.parse(stdout);
  return { isReady, ...summary.byStatus };
};

describe("hubrelay ready", () => {
  test("When a mirror has all of a release, it should be ready, found by its version at a mirror for digests", async () => {
    const { objects, release, registry } = await aMirror();
    const { stdout, stderr, exitCode } = await ready(objects, "--release", "4.20.4", "-o", "json");
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const report = JSON.parse(stdout);
    expect(Object.keys(report)).toEqual(["ready", "summary", "images", "issues", "coverage"]);
    expect(report.summary).toMatchObject({ images: 3, byStatus: { ready: 3 } });
    expect(report.images[0]).toEqual({
      image: `${publisher}/ocp-release@${release.digest}`,
      status: "ready",
      from: `${registry.host}/openshift/release-images@${release.digest}`,
      bytes: release.size,
      tried: [
        {
          location: `${registry.host}/openshift/release-images@${release.digest}`,
          result: "complete",
          detail: "",
        },
        {
          location: `${publisher}/ocp-release@${release.digest}`,
          result: "skipped",
          detail: `it is in ${publisher}/ocp-release, which is blocked`,
        },
      ],
    });
    const heads = registry.calls.filter(({ method, path }) => method === "HEAD" && path.includes("/blobs/"));
    expect(new Set(heads.map(({ path }) => path)).size).toBe(heads.length);
  });

  test("When files and folders are named without -f, they should be read as with it", async () => {
    const { objects, release } = await aMirror();
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, "more"));
    const [first = "", ...others] = objects.map(writeManifest);
    await writeFile(join(cwd, "sets.yaml"), first);
    await writeFile(join(cwd, "more/image.yaml"), others.join("---\n"));
    const image = `${publisher}/ocp-release@${release.digest}`;
    const args = ["--image", image, "-o", "json"];
    const { stdout, exitCode } = await hubrelay(["ready", "sets.yaml", "more", ...args], { cwd });
    expect([statuses(stdout), exitCode]).toEqual([{ isReady: true, ready: 1 }, 0]);
    const named = await hubrelay(["ready", "-f", "sets.yaml", "-f", "more", ...args], { cwd });
    expect(stdout).toBe(named.stdout);
    // The Image in the second path lets nodes reach the mirror without TLS.
    expect((await hubrelay(["ready", "sets.yaml", ...args], { cwd })).exitCode).not.toBe(0);
  });

  test("When a mirror lacks an image, the table should show where it was looked for, and --missing what mirrors it", async () => {
    const { objects, images, host } = await aMirror(["openshift/release:etcd"]);
    const table = await ready(objects, "--release", "4.20.4");
    expect(table.exitCode).toBe(1);
    expect(table.stdout).toContain("Not ready: 3 images");
    expect(table.stdout).toContain(`${host}/openshift/release@${images.etcd.digest}: missing`);
    const list = await ready(objects, "--release", "4.20.4", "--missing", "list");
    expect(list).toMatchObject({
      stdout: `${publisher}/ocp-v4.0-art-dev@${images.etcd.digest}\n`,
      exitCode: 1,
    });
    const imageSet = await ready(objects, "--release", "4.20.4", "--missing", "imageset");
    expect(imageSetConfiguration.parse(parse(imageSet.stdout))).toMatchObject({
      kind: "ImageSetConfiguration",
      mirror: {
        platform: { channels: [{ name: "stable-4.20", minVersion: "4.20.4", maxVersion: "4.20.4" }] },
      },
    });
  });

  test.for([
    { what: "lack its release", code: 404, status: "missing", exitCode: 1 },
    { what: "do not respond", code: 503, status: "unreachable", exitCode: 2 },
  ])("When mirrors for digests $what, a version should be $status", async ({ code, status, exitCode }) => {
    const { objects, host } = await aMirror([], () => (_, response) => response.writeHead(code).end());
    const asked = await ready(objects, "--release", "4.20.4", "--disconnected", "-o", "json");
    expect(JSON.parse(asked.stdout).images).toMatchObject([
      { status, tried: [{ location: expect.stringContaining(host), result: status }, {}] },
    ]);
    expect(asked.exitCode).toBe(exitCode);
  });

  test("When the first mirror is down, images should come from the second one, or from nowhere if it lacks them", async () => {
    const first = await aMirror();
    const second = await aMirror(["openshift/release:etcd"]);
    const hosts = [first.host, second.host];
    const ruleOf = (source: string, path: string) => ({
      source: `${publisher}/${source}`,
      mirrors: hosts.map((host) => `${host}/openshift/${path}`),
      mirrorSourcePolicy: "NeverContactSource",
    });
    const rules = [ruleOf("ocp-release", "release-images"), ruleOf("ocp-v4.0-art-dev", "release")];
    const objects = [
      aDigestMirrorSet("release", rules),
      anImageConfig({ insecureRegistries: hosts }),
      ...first.objects.filter(({ kind }) => !["ImageDigestMirrorSet", "Image"].includes(kind)),
    ];
    const args = ["--release", "4.20.4", "--without", first.host];
    const { stdout, exitCode } = await ready(objects, ...args, "-o", "json");
    expect(exitCode).toBe(1);
    expect(statuses(stdout)).toEqual({ isReady: false, ready: 2, missing: 1 });
    const { outage } = JSON.parse(stdout);
    const from = (path: string, { digest }: ScriptedImage) => `${second.host}/openshift/${path}@${digest}`;
    expect(outage.images).toEqual([
      expect.objectContaining({ from: from("release-images", first.release) }),
      expect.objectContaining({ from: from("release", first.images.cli) }),
      expect.objectContaining({ from: null }),
    ]);
    expect(outage.text).toMatch(
      /pull 2 images from \S+, slower; 1 image from nowhere\. They ask \S+ first: at every pull/,
    );
    const missing = await ready(objects, ...args, "--missing", "list");
    expect(missing.stdout).toBe(`${publisher}/ocp-v4.0-art-dev@${first.images.etcd.digest}\n`);
  });

  test("When a catalog is read from the layers of its index, the images at the heads should be checked", async () => {
    const { objects, host, operatorImage } = await aMirror();
    const catalog = (text: string) =>
      ready(objects, "--catalog", `${host}/olm/index:v4.20${text}`, "-o", "json");
    const all = await catalog("");
    expect(statuses(all.stdout)).toEqual({ isReady: true, ready: 2 });
    expect(JSON.parse(all.stdout).images.map(({ image }: { image: string }) => image)).toEqual([
      `${host}/olm/index:v4.20`,
      operatorImage,
    ]);
    expect(statuses((await catalog("=sriov:stable")).stdout)).toEqual({ isReady: true, ready: 2 });
    const none = await catalog("=gone:stable");
    expect(none.exitCode).toBe(1);
    expect(none.stderr).toMatch(/there is no package gone\. \[\w+\]\n {4}Fix: /);
  });

  test("When a ClusterGroupUpgrade is named, what its clusters pre-cache should be checked for their architectures", async () => {
    const { objects, release, host, images } = await aMirror();
    const upgrade = [
      anUpgrade({ clusters: ["sno1"], preCachingConfigRef: { name: "config" } }),
      aPolicy(
        "platform",
        [
          aWantedRelease({
            desiredUpdate: { version: "4.20.4", image: `${publisher}/ocp-release@${release.digest}` },
          }),
          aCatalogSource(`${host}/olm/index:v4.20`),
          aSubscription("sriov", "stable"),
        ],
        { sno1: "NonCompliant" },
      ),
      aPreCachingConfig({
        spaceRequired: "30Gi",
        additionalImages: [`${host}/openshift/release@${images.cli.digest}`],
        excludePrecachePatterns: ["etcd"],
      }),
      aManagedCluster("sno1"),
    ];
    for (const named of ["ztp/upgrade", "upgrade"]) {
      const { stdout, exitCode } = await ready([...objects, ...upgrade], "--cgu", named, "-o", "json");
      expect(statuses(stdout)).toEqual({ isReady: true, ready: 5 });
      expect(exitCode).toBe(0);
    }
    const other = await ready([...objects, ...upgrade], "--cgu", "ztp/none");
    expect(other).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("no such ClusterGroupUpgrade"),
    });
  });

  test("When a hosted cluster is named, its own mirrors, credentials and release should count", async () => {
    const { host, release } = await aMirror([], (call) =>
      call.headers.authorization === `Basic ${basicOf("robot", "p4ssw0rd")}` ? undefined : challenge("Basic"),
    );
    const image = `${publisher}/ocp-release@${release.digest}`;
    const hosted: KubernetesObject = {
      apiVersion: "hypershift.openshift.io/v1beta1",
      kind: "HostedCluster",
      metadata: { namespace: "clusters", name: "shop" },
      spec: {
        release: { image },
        imageContentSources: [
          { source: `${publisher}/ocp-release`, mirrors: [`${host}/openshift/release-images`] },
        ],
      },
    };
    const named = ["--hosted", "clusters/shop", "-o", "json", "--disconnected"];
    const { stdout } = await ready([hosted], ...named);
    // Without credentials, and without trust in plain HTTP, the mirror gives nothing.
    expect(JSON.parse(stdout).images).toMatchObject([{ image, status: "untrusted" }]);
    expect(await ready([hosted], "--hosted", "clusters/none")).toMatchObject({ exitCode: 2 });
    const down = await ready([hosted], ...named, "--without", host);
    expect(JSON.parse(down.stdout).outage.images).toEqual([{ image, from: null }]);
  });

  test("When a cluster's proxy settings name an authority, its nodes should trust registries by it", async () => {
    const image = await scriptedImage();
    const { host } = await scriptedRegistry(new Map([["a/b:1", image]]), undefined, { isTls: true });
    const { proxy, bundle } = trustedByProxy;
    const asked = async (...objects: readonly KubernetesObject[]) =>
      statuses((await ready(objects, "--image", `${host}/a/b:1`, "-o", "json")).stdout);
    expect(await asked(proxy, bundle)).toEqual({ isReady: true, "source-only": 1 });
    expect(await asked(proxy)).toEqual({ isReady: false, untrusted: 1 });
  });

  test("When no registry responds, it should exit with 2, and no output should hold a credential", async () => {
    const { objects, host } = await aMirror([], () => (_, response) => response.writeHead(503).end());
    const folder = await temporaryFolder();
    const file = join(folder, "pull-secret.json");
    await writeFile(file, pullSecretFor({ [host]: basicOf("robot", "p4ssw0rd") }));
    const digest = `sha256:${"a".repeat(64)}`;
    const image = `registry.redhat.io/app@${digest}`;
    const args = ["--image", image, "--pull-secret", file, "-o", "json"];
    const { stdout, stderr, exitCode } = await ready(objects, ...args);
    expect(exitCode).toBe(2);
    expect(statuses(stdout)).toEqual({ isReady: false, unreachable: 1 });
    for (const hidden of ["p4ssw0rd", basicOf("robot", "p4ssw0rd")])
      expect(stdout + stderr).not.toContain(hidden);
  });

  test("When the requests of a run are used up, the images that are left should be in coverage as not checked", async () => {
    const { objects, images } = await aMirror();
    const named = [images.cli, images.etcd].map(({ digest }) => `${publisher}/ocp-v4.0-art-dev@${digest}`);
    const args = [...named.flatMap((image) => ["--image", image]), "--depth", "manifests", "-o", "json"];
    const { stdout, exitCode } = await ready(objects, ...args, "--max-requests", "1");
    expect(statuses(stdout)).toEqual({ isReady: false, ready: 1, unreachable: 1 });
    const { coverage, issues } = JSON.parse(stdout);
    expect(coverage.unread).toContainEqual({ what: "images", why: "not-checked", count: 1 });
    expect({ exitCode, issues }).toEqual({ exitCode: 2, issues: [] });
  });

  test("When everything has to be covered, what was not read or is assumed should be an error", async () => {
    const { objects } = await aMirror();
    const args = ["--release", "4.20.4", "--depth", "blobs", "--arch", "amd64"];
    const { stdout, exitCode } = await ready(objects, ...args);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\nNot read: signature of a release: not checked\.\nAssumed: [^\n]*\.\n$/);
    const required = await ready(objects, ...args, "--require-coverage", "-o", "json");
    expect(required).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("[NotCovered]") });
    expect(JSON.parse(required.stdout)).toMatchObject({
      ready: true,
      coverage: { unread: [{ what: "signature of a release", count: 1, why: "not-checked" }] },
    });
  });

  test("When policies are proposed, they should accept what was signed, and the rest should be named with its reason", async () => {
    const signer = makeSigner();
    const key = join(await temporaryFolder(), "Vendor key.pub");
    await writeFile(key, signer.publicKey);
    const { objects, images } = await aMirror([], undefined, { signer });
    const release = ["--release", "4.20.4"];
    const art = `${publisher}/ocp-v4.0-art-dev`;
    const { stdout, stderr } = await ready(objects, ...release, "--policies", "--key", key);
    expect(stderr).toBe(`hubrelay: no policy for ${art}: ${art}@${images.etcd.digest} has no signature\n`);
    const policy = parse(stdout);
    expect(policy).toMatchObject({
      apiVersion: "config.openshift.io/v1",
      kind: "ClusterImagePolicy",
      metadata: { name: "signed-by-vendor-key" },
      spec: { scopes: [`${publisher}/ocp-release`] },
    });
    const withPolicy = await ready([...objects, policy], ...release, "-o", "json");
    expect(statuses(withPolicy.stdout)).toEqual({ isReady: true, ready: 3 });
    const other = { ...policy, spec: { ...policy.spec, scopes: [art] } };
    const refused = await ready([...objects, other], ...release, "-o", "json");
    expect(statuses(refused.stdout)).toEqual({ isReady: false, ready: 1, unsigned: 2 });
    const gone = `${publisher}/ocp-release@sha256:${"0".repeat(64)}`;
    const half = await ready(objects, ...release, "--image", gone, "--policies", "--key", key);
    expect(half.stdout).toBe("");
    expect(half.stderr).toContain(`no policy for ${publisher}/ocp-release: ${gone} is missing`);
    const noLog = await ready(objects, ...release, "--policies", "--fulcio-ca", key);
    expect(noLog).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--rekor-key") });
    const noKey = await ready(objects, ...release, "--policies", "--key", "none.pub");
    expect(noKey).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("none.pub") });
  });

  test("When an authority is given, a policy should be proposed for the signer whom it certified", async () => {
    const log = makeSigner();
    const folder = await temporaryFolder();
    await writeFile(join(folder, "ca.pem"), authority);
    await writeFile(join(folder, "log.pub"), log.publicKey);
    const { objects } = await aMirror([], undefined, {
      signer: { ...keylessSigner, logKey: log.privateKey },
    });
    const roots = ["--fulcio-ca", join(folder, "ca.pem"), "--rekor-key", join(folder, "log.pub")];
    const { stdout } = await ready(objects, "--release", "4.20.4", "--policies", ...roots);
    const policy = parse(stdout);
    const rootOfTrust = { policyType: "FulcioCAWithRekor", fulcioCAWithRekor: { fulcioSubject: subject } };
    expect(policy).toMatchObject({ spec: { scopes: [`${publisher}/ocp-release`], policy: { rootOfTrust } } });
    const withPolicy = await ready([...objects, policy], "--release", "4.20.4", "-o", "json");
    expect(statuses(withPolicy.stdout)).toEqual({ isReady: true, ready: 3 });
  });
});
