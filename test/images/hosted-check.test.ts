import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  aHostedCluster,
  hypershiftFinalizer,
  secret,
} from "../support/hosted-clusters/hosted-cluster-hub.ts";
import { aDigestMirrorSet, anImageConfig, aTagMirrorSet } from "../support/hub/objects.ts";
import { basicOf, pullSecretFor } from "../support/servers/scripted-registry.ts";
import { hubrelay } from "../system/cli.ts";
import {
  type Door,
  identityToken,
  type Loopback,
  type LoopbackRegistry,
  openLoopback,
  password,
  user,
} from "./support/network/loopback.ts";

/* Runs `hubrelay hosted --check` as a person does, against real registries that hold a release and its catalogs. */

const release = "quay.io/openshift-release-dev/ocp-release";
const payload = "quay.io/openshift-release-dev/ocp-v4.0-art-dev";
const indexes = knownCatalogs.map(({ repository }) => repository);
const never = "NeverContactSource";

let loopback: Loopback;
let registries: Readonly<Record<Door, LoopbackRegistry>>;
/** The digest of the release, which is the same everywhere. */
let digest: string;

/** Pushes a release and catalogs; the catalogs are of this release except the community's, which is one behind. */
async function fill(host: string): Promise<string> {
  const list = {
    kind: "ImageStream",
    metadata: { name: "4.20.4" },
    spec: {
      tags: [{ name: "cli", from: { kind: "DockerImage", name: `${payload}@sha256:${"c".repeat(64)}` } }],
    },
  };
  const files = [{ path: "release-manifests/image-references", content: JSON.stringify(list) }];
  const pushed = await loopback.push(`${host}/ocp/release:4.20.4`, files, {
    "io.openshift.release": "4.20.4",
  });
  for (const index of indexes) {
    const tag = index.startsWith("community") ? "v4.19" : "v4.20";
    const catalog = [{ path: `configs/${index}/catalog.json`, content: "{}" }];
    await loopback.push(`${host}/olm/${index}:${tag}`, catalog, {
      "operators.operatorframework.io.index.configs.v1": "/configs",
    });
  }
  return pushed.digest;
}

beforeAll(async () => {
  loopback = await openLoopback();
  const open = (door: Door) => loopback.registry(door);
  registries = { password: await open("password"), token: await open("token"), plain: await open("plain") };
  for (const { host } of Object.values(registries)) digest = await fill(host);
});
afterAll(() => loopback[Symbol.asyncDispose]());

/** A hosted cluster whose release and catalogs are only available in one mirror. */
function manifests(host: string, ...more: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return [
    aHostedCluster("shop", { spec: { release: { image: `${release}@${digest}` } } }),
    aDigestMirrorSet("releases", [
      { source: release, mirrors: [`${host}/ocp/release`], mirrorSourcePolicy: never },
    ]),
    aTagMirrorSet("catalogs", [
      { source: "registry.redhat.io/redhat", mirrors: [`${host}/olm`], mirrorSourcePolicy: never },
    ]),
    ...more,
  ];
}

const trusted = (): KubernetesObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "user-ca-bundle", namespace: "clusters-shop" },
  data: { "ca-bundle.crt": loopback.authorities },
});
const pullSecret = (host: string, entry: unknown) =>
  secret("clusters-shop", "pull-secret", {
    ".dockerconfigjson": JSON.stringify({ auths: { [host]: entry } }),
  });
const mine = { auth: basicOf(user, password) };

async function check(objects: readonly KubernetesObject[], ...args: readonly string[]) {
  const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  const result = await hubrelay(["hosted", ...args, "--check", "-f", "-", "-o", "json"], { stdin });
  return { ...result, output: JSON.parse(result.stdout || "null") };
}

const found = {
  olmCatalogs: [
    { name: "certified-operators", image: "registry.redhat.io/redhat/certified-operator-index:v4.20" },
    { name: "community-operators", image: "registry.redhat.io/redhat/community-operator-index:v4.19" },
    { name: "redhat-marketplace", image: "registry.redhat.io/redhat/redhat-marketplace-index:v4.20" },
    { name: "redhat-operators", image: "registry.redhat.io/redhat/redhat-operator-index:v4.20" },
  ],
};

describe("a release and catalogs that a mirror has", () => {
  test.for<readonly [string, Door, unknown]>([
    ["asks for a password", "password", mine],
    ["issues a token for a password", "token", mine],
    ["issues a token for an identity token", "token", { identitytoken: identityToken }],
  ])("When the mirror %s, it should report what it holds", async ([, door, entry]) => {
    const { host } = registries[door];
    const { output, stderr, exitCode } = await check(manifests(host, trusted(), pullSecret(host, entry)));
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(output).toMatchObject([found]);
    expect(Object.keys(output[0].registryOverrides)).toEqual([release, "registry.redhat.io/redhat"]);
  });

  test("When the pull secret has a token of the registry's own, the registry should accept it", async () => {
    const { host } = registries.token;
    const paths = ["ocp/release", ...indexes.map((index) => `olm/${index}`)];
    const objects = (registrytoken: string) =>
      manifests(host, trusted(), pullSecret(host, { registrytoken }));
    const { output, stderr, exitCode } = await check(objects(loopback.registryToken(paths)));
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(output).toMatchObject([found]);
    const others = await check(objects(loopback.registryToken(["another/repository"])));
    expect(others.exitCode).toBe(1);
    expect(others.stderr).toContain("the registry rejects these credentials");
  });

  test.for(["of each cluster", "given for all"])(
    "When the pull secret %s delegates another login to a program, it should report that once",
    async (whose) => {
      const { host } = registries.password;
      const content = { auths: { [host]: mine }, credHelpers: { "1.ecr.aws": "ecr-login" } };
      const text = JSON.stringify(content);
      const file = join(loopback.folder, "with-program.json");
      await writeFile(file, text);
      const isGiven = whose === "given for all";
      const own = secret("clusters-shop", "pull-secret", { ".dockerconfigjson": text });
      const { output, stderr, exitCode } = await check(
        manifests(host, trusted(), ...(isGiven ? [] : [own])),
        ...(isGiven ? ["--pull-secret", file] : []),
      );
      expect(exitCode).toBe(0);
      expect(output).toMatchObject([found]);
      const place = isGiven ? `${file} auths` : "HostedCluster/clusters/shop spec.pullSecret.name";
      expect(stderr).toMatch(/^warning: .*docker-credential-ecr-login.*\n$/);
      expect(stderr).toContain(place);
    },
  );

  test("When one pull secret is given for all, each cluster's own authorities should still apply", async () => {
    const { host } = registries.password;
    const file = join(loopback.folder, "pull-secret.json");
    await writeFile(file, pullSecretFor({ [host]: mine.auth }));
    const { output, exitCode } = await check(manifests(host, trusted()), "--pull-secret", file);
    expect(exitCode).toBe(0);
    expect(output).toMatchObject([found]);
  });

  test("When the mirror speaks plain HTTP, it should be used only if the management cluster lists it as insecure", async () => {
    const { host } = registries.plain;
    const refused = await check(manifests(host));
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("does not use TLS");
    const { output, exitCode } = await check(
      manifests(host, anImageConfig({ insecureRegistries: ["localhost"] })),
    );
    expect(exitCode).toBe(0);
    expect(output).toMatchObject([found]);
  });

  test("When its authority is the cluster's own, it should be used only with that", async () => {
    const { host } = registries.password;
    const objects = manifests(host, pullSecret(host, mine));
    const refused = await check(objects);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("its certificate is not trusted");
    const insecure = await check([...objects, anImageConfig({ insecureRegistries: [host] })]);
    expect(insecure.output).toMatchObject([found]);
  });

  test("When HyperShift writes, it should find the mirrors by HyperShift's rules", async () => {
    const { host } = registries.token;
    const annotations = {
      "hypershift.openshift.io/olm-catalogs-is-registry-overrides": `registry.redhat.io/redhat=${host}/olm`,
    };
    const objects = [
      aHostedCluster("shop", {
        metadata: { annotations, finalizers: [hypershiftFinalizer] },
        spec: { release: { image: `${release}:4.20.4` } },
      }),
      // HyperShift replaces text anywhere, and mirrors for digests serve tags, too.
      aDigestMirrorSet("releases", [{ source: release.slice(0, -4), mirrors: [`${host}/ocp/rel`] }]),
      trusted(),
      pullSecret(host, mine),
    ];
    const { output, stderr, exitCode } = await check(objects);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const images = output[0].olmCatalogs.map(({ image }: { image: string }) => image);
    const [certified, community, marketplace, redhat] = indexes.map((index) => `${host}/olm/${index}`);
    expect(images).toEqual([
      `${certified}:v4.20`,
      `${community}:v4.19`,
      `${marketplace}:v4.20`,
      `${redhat}:v4.20`,
    ]);
  });

  test("When only the second mirror has an image, it should say why the first is not used", async () => {
    const [first, second] = [registries.token.host, registries.password.host];
    const objects = [
      aHostedCluster("shop"),
      aDigestMirrorSet("two", [{ source: release, mirrors: [`${first}/none`, `${second}/ocp/release`] }]),
      trusted(),
      secret("clusters-shop", "pull-secret", {
        ".dockerconfigjson": pullSecretFor({ [first]: mine.auth, [second]: mine.auth }),
      }),
    ];
    const { output } = await check(objects, "explain", `${release}@${digest}`, "shop");
    expect(output.candidates).toMatchObject([
      { taken: false, reason: "the registry does not have it" },
      { reference: `${second}/ocp/release@${digest}`, taken: true, reason: null },
      { mirror: null, taken: false },
    ]);
  });
});

describe("a mirror that denies access", () => {
  const secrets = [password, identityToken, basicOf(user, "gu3ssed"), "gu3ssed"];
  test.for<readonly [string, Door, unknown]>([
    ["the password is wrong", "password", { auth: basicOf(user, "gu3ssed") }],
    ["the password for the token is wrong", "token", { auth: basicOf(user, "gu3ssed") }],
    ["the identity token is wrong", "token", { identitytoken: "gu3ssed" }],
    ["an identity token is given where a password is wanted", "password", { identitytoken: identityToken }],
    ["there is no entry for it", "token", undefined],
  ])("When %s, it should report that without any secret", async ([, door, entry]) => {
    const { host } = registries[door];
    const { output, stdout, stderr, exitCode } = await check(
      manifests(host, trusted(), pullSecret(host, entry)),
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain("401");
    expect(output).toMatchObject([{ name: "shop", olmCatalogs: [] }]);
    expect(output[0].issues.map(({ code }: { code: string }) => code)).toContain("ReleaseNotFound");
    for (const one of secrets) expect(stdout + stderr).not.toContain(one);
  });
});

describe("a mirror that fails", () => {
  /** A server with the right name and certificate that responds to everything with 500. */
  async function broken(host: string): Promise<AsyncDisposable> {
    const [cert, key] = await Promise.all(
      ["registry.crt", "registry.key"].map((name) => readFile(join(loopback.folder, name))),
    );
    const server = createServer({ cert, key }, (_, response) => response.writeHead(500).end("p4ssw0rd"));
    server.listen(Number(host.split(":")[1]), "127.0.0.1");
    await once(server, "listening");
    return {
      [Symbol.asyncDispose]: async () => {
        server.close();
        server.closeAllConnections();
        await once(server, "close");
      },
    };
  }

  test("When it is down, returns 500 and comes back, it should report each state, and then everything again", async () => {
    const mirror = registries.password;
    const { host } = mirror;
    const objects = manifests(host, trusted(), pullSecret(host, mine));
    await mirror.stop();
    try {
      const down = await check(objects);
      expect(down).toMatchObject({ exitCode: 1, output: [{ olmCatalogs: [] }] });
      expect(down.stderr).toContain(`${host}/ocp/release@${digest}: the registry cannot be reached`);

      await using _ = await broken(host);
      // The version is given by hand, so that the catalogs are read though the release is not.
      const failing = await check(objects, "--release-version", "4.20.4");
      expect(failing).toMatchObject({ exitCode: 1, output: [{ olmCatalogs: [] }] });
      expect(failing.stderr).toContain("the registry returned 500");
      expect(failing.stderr).toContain("redhat-operators");
      expect(failing.stderr).not.toContain("p4ssw0rd");
    } finally {
      await mirror.start();
    }
    expect(await check(objects)).toMatchObject({ exitCode: 0, output: [found] });
  });
});
