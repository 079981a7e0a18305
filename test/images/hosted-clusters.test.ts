import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { RegistryAccess } from "#shared/ports/registry.ts";
import {
  aControlPlaneOperator,
  aHostedControlPlane,
  aWorld,
  hypershiftFinalizer,
  secret,
  type World,
} from "../support/hosted-clusters/hosted-cluster-hub.ts";
import { aDigestMirrorSet, anImageConfig, aTagMirrorSet } from "../support/hub/objects.ts";
import { basicOf, pullSecretFor } from "../support/servers/scripted-registry.ts";
import {
  type Loopback,
  type LoopbackRegistry,
  openLoopback,
  password,
  user,
} from "./support/network/loopback.ts";

/* A registry with TLS and passwords, on the machine's own loopback, and hubrelay's client for it. */

const catalogs = knownCatalogs.map(({ name }) => name);

function catalogNamed(name: string) {
  const catalog = knownCatalogs.find((one) => one.name === name);
  if (!catalog) throw new Error(`there is no catalog ${name}`);
  return catalog;
}

let loopback: Loopback;
let mirror: LoopbackRegistry;
let host: string;
let authorities: string;

beforeAll(async () => {
  loopback = await openLoopback();
  mirror = await loopback.registry("password");
  ({ host } = mirror);
  ({ authorities } = loopback);
});
beforeEach(() => mirror.start());
afterAll(() => loopback[Symbol.asyncDispose]());

const push = (location: string) => loopback.push(location);

const access = (
  entries: Readonly<Record<string, string>> = { [host]: basicOf(user, password) },
): RegistryAccess => ({
  pullSecret: pullSecretFor(entries),
  authorities,
});

test("When a registry requires a password, it should read tags, digests, images and files", async () => {
  const registry = ociRegistry();
  const image = await push(`${host}/team/app:v1`);
  expect(await registry.digest(`${host}/team/app:v1`, access())).toBe(image.digest);
  expect(await registry.digest(`${host}/team/app:v2`, access())).toBeUndefined();
  expect(await registry.tags(`${host}/team/app`, access())).toEqual(["v1"]);
  const read = await registry.image(`${host}/team/app@${image.digest}`, access());
  expect(read).toMatchObject({ digest: image.digest, architecture: "amd64", layers: [expect.anything()] });
  const files = await registry.files(`${host}/team/app:v1`, ["text"], access());
  expect(files.get("text")).toBe(image.layout);
  registry.close();
});

test.for([
  { what: "there is no password", entries: () => ({}), code: "Unauthorized" },
  {
    what: "the password is wrong",
    entries: () => ({ [host]: basicOf(user, "guess") }),
    code: "Unauthorized",
  },
  {
    what: "the password is for another path",
    entries: () => ({ [`${host}/other`]: basicOf(user, password) }),
    code: "Unauthorized",
  },
])("When $what, it should be refused, and the message should name no secret", async ({ entries, code }) => {
  const registry = ociRegistry({ retryMs: { first: 1, max: 1 } });
  const asked = registry.digest(`${host}/team/app:v1`, access(entries()));
  await expect(asked).rejects.toMatchObject({ code, message: expect.not.stringContaining(password) });
  registry.close();
});

test("When no authority vouches for the certificate, it should be refused, unless the host may be insecure", async () => {
  const registry = ociRegistry();
  const image = await push(`${host}/team/own:v1`);
  const { pullSecret = "" } = access();
  const asked = registry.digest(`${host}/team/own:v1`, { pullSecret });
  await expect(asked).rejects.toMatchObject({ code: "Untrusted" });
  const insecure = { pullSecret, insecureHosts: [host] };
  expect(await registry.digest(`${host}/team/own:v1`, insecure)).toBe(image.digest);
  registry.close();
});

/** The namespace of the catalogs on the management cluster's mirrors. */
const inOneMirror = () => [
  aDigestMirrorSet("olm", [{ source: "registry.redhat.io/redhat", mirrors: [`${host}/olm`] }]),
];

/** A hosted cluster beside HyperShift whose catalogs a person has handed over to hubrelay. */
async function derivingWorld(auth: string, { mirrors = inOneMirror(), hosts = [host] } = {}): Promise<World> {
  const bundle: KubernetesObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "user-ca-bundle", namespace: "clusters-shop" },
    data: { "ca-bundle.crt": authorities },
  };
  return aWorld(
    [
      aHostedCluster({
        metadata: {
          finalizers: [hypershiftFinalizer],
          annotations: { "hubrelay.dev/olm-catalogs": "from-mirrors" },
        },
      }),
      secret("clusters-shop", "pull-secret", {
        ".dockerconfigjson": pullSecretFor(Object.fromEntries(hosts.map((one) => [one, auth]))),
      }),
      bundle,
      ...mirrors,
    ],
    [],
    ociRegistry({ tagLifetimeMs: 0, retryMs: { first: 1, max: 1 } }),
  );
}

const annotationsOf = async ({ hub }: World) =>
  (await hub.get(kinds.HostedCluster, "shop", "clusters"))?.metadata.annotations ?? {};
const catalogPath = (name: string) => `${host}/olm/${catalogNamed(name).repository}`;
const imageOf = (annotations: Readonly<Record<string, string>>, name: string) =>
  annotations[catalogNamed(name).imageAnnotation];

test("When a mirror has catalogs, is refreshed, fails and comes back, the annotations should follow as one set", async () => {
  const world = await derivingWorld(basicOf(user, password));
  try {
    for (const name of catalogs.slice(0, -1)) await push(`${catalogPath(name)}:v4.20`);
    const { issues } = await world.settle("clusters/shop");
    expect(issues).toMatchObject([{ code: "CatalogsNotFound" }]);
    expect(imageOf(await annotationsOf(world), "certified-operators")).toBeUndefined();

    await push(`${catalogPath("redhat-operators")}:v4.20`);
    await world.settle("clusters/shop");
    const first = await annotationsOf(world);
    for (const name of catalogs) expect(imageOf(first, name)).toMatch(/@sha256:[0-9a-f]{64}$/);

    const refreshed = await push(`${catalogPath("redhat-operators")}:v4.20`);
    await mirror.stop();
    expect((await world.settle("clusters/shop")).issues).toMatchObject([{ code: "CatalogsNotFound" }]);
    expect(await annotationsOf(world)).toEqual(first);

    await mirror.start();
    await world.settle("clusters/shop");
    const second = await annotationsOf(world);
    expect(imageOf(second, "redhat-operators")).toBe(
      `${catalogPath("redhat-operators")}@${refreshed.digest}`,
    );
    expect(imageOf(second, "certified-operators")).toBe(imageOf(first, "certified-operators"));
    expect(world.outcomes.filter(({ type }) => type.endsWith(".changing"))).toHaveLength(2);
  } finally {
    await world.close();
  }
});

test("When the mirror refuses the cluster's pull secret, it should change nothing and report that without the secret", async () => {
  const world = await derivingWorld(basicOf(user, "guess"));
  try {
    for (const name of catalogs) await push(`${catalogPath(name)}:v4.20`);
    const { issues } = await world.settle("clusters/shop");
    expect(issues).toMatchObject([{ code: "CatalogsNotFound", message: expect.stringContaining("401") }]);
    expect(imageOf(await annotationsOf(world), "redhat-operators")).toBeUndefined();
    expect(JSON.stringify([issues, world.outcomes])).not.toContain(basicOf(user, "guess"));
  } finally {
    await world.close();
  }
});

test("When two mirrors have parts of the catalogs and one is refreshed while the other fails, it should wait for both", async () => {
  const other = await loopback.registry("password");
  const place = (name: string) =>
    `${name === "community-operators" ? other.host : host}/parts/${catalogNamed(name).repository}`;
  const mirrors = catalogs.map((name) =>
    aDigestMirrorSet(name, [
      { source: `registry.redhat.io/redhat/${catalogNamed(name).repository}`, mirrors: [place(name)] },
    ]),
  );
  const world = await derivingWorld(basicOf(user, password), { mirrors, hosts: [host, other.host] });
  try {
    for (const name of catalogs) await push(`${place(name)}:v4.20`);
    await world.settle("clusters/shop");
    const first = await annotationsOf(world);
    for (const name of catalogs) expect(imageOf(first, name)).toContain(`${place(name)}@sha256:`);

    const refreshed = new Map<string, string>();
    for (const name of catalogs) refreshed.set(name, (await push(`${place(name)}:v4.20`)).digest);
    await other.stop();
    const { issues } = await world.settle("clusters/shop");
    expect(issues).toMatchObject([
      { code: "CatalogsNotFound", message: expect.stringContaining(other.host) },
    ]);
    expect(await annotationsOf(world)).toEqual(first);

    await other.start();
    await world.settle("clusters/shop");
    const second = await annotationsOf(world);
    for (const name of catalogs) expect(imageOf(second, name)).toBe(`${place(name)}@${refreshed.get(name)}`);
    const changing = world.outcomes.filter(({ type }) => type.endsWith(".changing"));
    expect(changing).toHaveLength(2);
    for (const digest of refreshed.values()) expect(JSON.stringify(changing[1])).toContain(digest);
  } finally {
    await world.close();
  }
});

test("When another publisher's release is in a mirror, a hosted cluster should get only the sources of its images, and keep them while the mirror fails", async () => {
  const publisher = "releases.example.com/own";
  const list = {
    spec: { tags: [{ name: "cli", from: { name: `${publisher}/art@sha256:${"c".repeat(64)}` } }] },
  };
  await loopback.push(`${host}/own/release:4.20.4`, [
    { path: "release-manifests/image-references", content: JSON.stringify(list) },
  ]);
  const hostedCluster = aHostedCluster({
    spec: {
      release: { image: `${publisher}/release:4.20.4` },
      configuration: { operatorhub: { disableAllDefaultSources: true } },
    },
  });
  const never = { mirrorSourcePolicy: "NeverContactSource" } as const;
  const world = await aWorld(
    [
      hostedCluster,
      aControlPlaneOperator(),
      aHostedControlPlane("shop", { releaseImage: `${publisher}/release:4.20.4` }),
      secret("clusters-shop", "pull-secret", {
        ".dockerconfigjson": pullSecretFor({ [host]: basicOf(user, password) }),
      }),
      // Only the hub's own nodes trust the mirror.
      { ...anImageConfig(), spec: { additionalTrustedCA: { name: "registries" } } },
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "registries", namespace: "openshift-config" },
        data: { [host.replace(":", "..")]: authorities },
      },
      aDigestMirrorSet("own", [
        { source: `${publisher}/art`, mirrors: [`${host}/own/art`], ...never },
        { source: "docker.io", mirrors: [`${host}/docker`] },
      ]),
      aTagMirrorSet("own", [{ source: `${publisher}/release`, mirrors: [`${host}/own/release`], ...never }]),
    ],
    [],
    ociRegistry({ tagLifetimeMs: 0, retryMs: { first: 1, max: 1 } }),
  );
  const overrides = async () => {
    const operator = await world.hub.get(kinds.Deployment, "control-plane-operator", "clusters-shop");
    return Object(operator?.spec).template.spec.containers[0].env[1]?.value;
  };
  const wanted = `${publisher}/art=${host}/own/art,${publisher}/release=${host}/own/release`;
  try {
    await world.settle("clusters/shop");
    expect(await overrides()).toBe(wanted);
    await mirror.stop();
    expect((await world.settle("clusters/shop")).actions).toEqual([]);
    expect(await overrides()).toBe(wanted);
  } finally {
    await world.close();
  }
});
