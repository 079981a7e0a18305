import { expect, test } from "vitest";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { secret } from "../support/hosted-clusters/hosted-cluster-hub.ts";
import { aDigestMirrorSet, anImageConfig } from "../support/hub/objects.ts";
import {
  basicOf,
  challenge,
  pullSecretFor,
  scriptedImage,
  scriptedRegistry,
} from "../support/servers/scripted-registry.ts";
import { certificate } from "../support/servers/server-certificate.ts";
import { hubrelay } from "./cli-in-process.ts";

const release = "quay.io/openshift-release-dev/ocp-release";
const login = basicOf("robot", "p4ssw0rd");

/** A mirror with a login that has a release and its catalogs; the community's is one release behind. */
async function aMirror(isTls: boolean) {
  const from = { kind: "DockerImage", name: `${release}@sha256:${"c".repeat(64)}` };
  const references = {
    kind: "ImageStream",
    metadata: { name: "4.20.4" },
    spec: { tags: [{ name: "cli", from }] },
  };
  const payload = await scriptedImage({
    labels: { "io.openshift.release": "4.20.4" },
    layers: [{ "release-manifests/image-references": JSON.stringify(references) }],
  });
  const held = new Map([["ocp/release:4.20.4", payload]]);
  for (const { repository } of knownCatalogs)
    held.set(
      `olm/${repository}:${repository.startsWith("community") ? "v4.19" : "v4.20"}`,
      await scriptedImage(),
    );
  const { host } = await scriptedRegistry(
    held,
    ({ headers }) =>
      !isTls || headers.authorization === `Basic ${login}` ? undefined : challenge('Basic realm="x"'),
    { isTls },
  );
  const overrides = {
    "hypershift.openshift.io/olm-catalogs-is-registry-overrides": `registry.redhat.io/redhat=${host}/olm`,
  };
  const spec = { release: { image: `${release}@${payload.digest}` } };
  const cluster = aHostedCluster({ metadata: { annotations: overrides }, spec });
  return {
    host,
    objects: [cluster, aDigestMirrorSet("releases", [{ source: release, mirrors: [`${host}/ocp/release`] }])],
  };
}

const pullSecret = (host: string, auth: string) =>
  secret("clusters-shop", "pull-secret", { ".dockerconfigjson": pullSecretFor({ [host]: auth }) });
const trusted: KubernetesObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "user-ca-bundle", namespace: "clusters-shop" },
  data: { "ca-bundle.crt": certificate },
};

async function check(...objects: readonly KubernetesObject[]) {
  const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  const result = await hubrelay(["hosted", "--check", "-f", "-", "-o", "json"], { stdin });
  const [found] = JSON.parse(result.stdout || "[]");
  return { ...result, catalogs: found?.olmCatalogs.map(({ image }: { image: string }) => image) };
}

const catalogsOf = (host: string) => [
  `${host}/olm/certified-operator-index:v4.20`,
  `${host}/olm/community-operator-index:v4.19`,
  `${host}/olm/redhat-marketplace-index:v4.20`,
  `${host}/olm/redhat-operator-index:v4.20`,
];

test("When a mirror asks for a login, it should report the catalogs that it has, with the Secret and the authority of the control plane", async () => {
  const { host, objects } = await aMirror(true);
  const { stderr, exitCode, catalogs } = await check(...objects, trusted, pullSecret(host, login));
  expect({ stderr, exitCode, catalogs }).toEqual({ stderr: "", exitCode: 0, catalogs: catalogsOf(host) });
  const untrusted = await check(...objects, pullSecret(host, login));
  expect(untrusted).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("certificate is not trusted"),
  });
});

test("When the mirror speaks plain HTTP, it should be used only if the management cluster lists it as insecure", async () => {
  const { host, objects } = await aMirror(false);
  const refused = await check(...objects);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("does not use TLS") });
  const { exitCode, catalogs } = await check(...objects, anImageConfig({ insecureRegistries: [host] }));
  expect({ exitCode, catalogs }).toEqual({ exitCode: 0, catalogs: catalogsOf(host) });
});
