import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { secret } from "../support/hosted-clusters/hosted-cluster-hub.ts";
import { aDigestMirrorSet, anImageConfig } from "../support/hub/objects.ts";
import { basicOf } from "../support/servers/scripted-registry.ts";
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
    aHostedCluster({
      metadata: {
        annotations: {
          "hypershift.openshift.io/olm-catalogs-is-registry-overrides": `registry.redhat.io/redhat=${host}/olm`,
        },
      },
      spec: { release: { image: `${release}@${digest}` } },
    }),
    aDigestMirrorSet("releases", [{ source: release, mirrors: [`${host}/ocp/release`] }]),
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

const found = (host: string) => ({
  olmCatalogs: [
    { name: "certified-operators", image: `${host}/olm/certified-operator-index:v4.20` },
    { name: "community-operators", image: `${host}/olm/community-operator-index:v4.19` },
    { name: "redhat-marketplace", image: `${host}/olm/redhat-marketplace-index:v4.20` },
    { name: "redhat-operators", image: `${host}/olm/redhat-operator-index:v4.20` },
  ],
});

describe("a release and catalogs that a mirror has", () => {
  test.for<readonly [string, Door, unknown]>([
    ["asks for a password", "password", mine],
    ["issues a token for a password", "token", mine],
    ["issues a token for an identity token", "token", { identitytoken: identityToken }],
  ])("When the mirror %s, it should report what it holds", async ([, door, entry]) => {
    const { host } = registries[door];
    const { output, stderr, exitCode } = await check(manifests(host, trusted(), pullSecret(host, entry)));
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(output).toMatchObject([found(host)]);
    expect(Object.keys(output[0].registryOverrides)).toEqual([release]);
  });

  test("When the pull secret has a token of the registry's own, the registry should accept it", async () => {
    const { host } = registries.token;
    const paths = ["ocp/release", ...indexes.map((index) => `olm/${index}`)];
    const objects = (registrytoken: string) =>
      manifests(host, trusted(), pullSecret(host, { registrytoken }));
    const { output, stderr, exitCode } = await check(objects(loopback.registryToken(paths)));
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(output).toMatchObject([found(host)]);
    const others = await check(objects(loopback.registryToken(["another/repository"])));
    expect(others.exitCode).toBe(1);
    expect(others.stderr).toContain("the registry rejects these credentials");
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
    expect(output).toMatchObject([found(host)]);
  });

  test("When its authority is the cluster's own, it should be used only with that", async () => {
    const { host } = registries.password;
    const objects = manifests(host, pullSecret(host, mine));
    const refused = await check(objects);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("its certificate is not trusted");
    const insecure = await check([...objects, anImageConfig({ insecureRegistries: [host] })]);
    expect(insecure.output).toMatchObject([found(host)]);
  });
});
