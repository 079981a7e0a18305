import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ociRegistry } from "#shared/adapters/oci-registry.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { RegistryAccess } from "#shared/ports/registry.ts";
import { finished } from "../../infra/command.ts";
import { freePort } from "../cluster/support/server-process.ts";
import {
  aHostedCluster,
  aWorld,
  hypershiftFinalizer,
  secret,
  type World,
} from "../support/hosted-cluster-hub.ts";
import { aDigestMirrorSet } from "../support/objects.ts";
import { basicOf, pullSecretFor } from "../support/scripted-registry.ts";
import { type AccessLog, openAccessLog } from "./support/access-log.ts";
import { forHosts, makeCertificate } from "./support/certificate.ts";
import { buildImage, type Image } from "./support/image.ts";
import { type Registry, startRegistry } from "./support/registry.ts";

/* A registry with TLS and passwords, on the machine's own loopback, and hubrelay's client against it. */

const user = "robot";
const password = "p4ssw0rd";
/** bcrypt of the password above. */
const passwordHash = "$2y$05$hubrelayhubrelayhubreeeuNqAhVYJzGnn38Pvyp7L3satvsoDpm";
const catalogs = ["certified", "community", "redhat"] as const;

let folder: string;
let log: AccessLog;
let host: string;
let start: () => Promise<Registry>;
let running: Registry | undefined;
let authorities: string;
let made = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hubrelay-registry-"));
  log = await openAccessLog(join(folder, "registry.log"));
  host = `localhost:${await freePort()}`;
  const certificate = await makeCertificate(folder, "registry", [forHosts(["localhost"])]);
  authorities = await readFile(certificate.certificate, "utf8");
  const users = join(folder, "users");
  await writeFile(users, `${user}:${passwordHash}\n`);
  start = () => startRegistry(folder, here, log, { name: host, address: "127.0.0.1", certificate, users });
});
beforeEach(async () => {
  running ??= await start();
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  await log[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** The machine's own network: hubrelay's client runs in this process. */
const here = { enter: [], [Symbol.asyncDispose]: async () => undefined };

async function push(location: string): Promise<Image> {
  const own = join(folder, `image-${++made}`);
  await mkdir(own);
  const image = await buildImage(own, [[{ path: "text", content: own }]]);
  const credentials = ["--dest-creds", `${user}:${password}`, "--dest-tls-verify=false"];
  const words = ["copy", "--quiet", ...credentials, `oci:${image.layout}:image`, `docker://${location}`];
  const { code, stderr } = await finished("skopeo", words, { cwd: folder });
  if (code !== 0) throw new Error(`skopeo could not push to ${location}: ${stderr}`);
  return image;
}

const access = (
  entries: Readonly<Record<string, string>> = { [host]: basicOf(user, password) },
): RegistryAccess => ({
  pullSecret: pullSecretFor(entries),
  authorities,
});

test("When a registry asks for a password, it should read tags, digests, images and files of it", async () => {
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
  const registry = ociRegistry({ retryMs: { first: 1, longest: 1 } });
  const asked = registry.digest(`${host}/team/app:v1`, access(entries()));
  await expect(asked).rejects.toMatchObject({ code, message: expect.not.stringContaining(password) });
  registry.close();
});

test("When nobody vouches for the certificate, it should be refused, unless the host may be insecure", async () => {
  const registry = ociRegistry();
  const image = await push(`${host}/team/own:v1`);
  const { pullSecret = "" } = access();
  const asked = registry.digest(`${host}/team/own:v1`, { pullSecret });
  await expect(asked).rejects.toMatchObject({ code: "Untrusted" });
  const insecure = { pullSecret, insecureHosts: [host] };
  expect(await registry.digest(`${host}/team/own:v1`, insecure)).toBe(image.digest);
  registry.close();
});

/** A hosted cluster beside HyperShift whose catalogs a person has handed to hubrelay. */
async function derivingWorld(auth: string): Promise<World> {
  const bundle: KubernetesObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "user-ca-bundle", namespace: "clusters-shop" },
    data: { "ca-bundle.crt": authorities },
  };
  return aWorld(
    [
      aHostedCluster("shop", {
        metadata: {
          finalizers: [hypershiftFinalizer],
          annotations: { "hubrelay.dev/olm-catalogs": "from-mirrors" },
        },
      }),
      secret("clusters-shop", "pull-secret", { ".dockerconfigjson": pullSecretFor({ [host]: auth }) }),
      bundle,
      aDigestMirrorSet("olm", [{ source: "registry.redhat.io/redhat", mirrors: [`${host}/olm`] }]),
    ],
    [],
    ociRegistry({ tagLifetimeMs: 0, retryMs: { first: 1, longest: 1 } }),
  );
}

const annotationsOf = async ({ hub }: World) =>
  (await hub.get(kinds.HostedCluster, "shop", "clusters"))?.metadata.annotations ?? {};
const catalogPath = (name: string) => `${host}/olm/${name}-operator-index`;
const imageOf = (annotations: Readonly<Record<string, string>>, name: string) =>
  annotations[`hypershift.openshift.io/${name}-operators-catalog-image`];

test("When a mirror has catalogs, is refreshed, fails and comes back, the annotations should follow as one set", async () => {
  const world = await derivingWorld(basicOf(user, password));
  try {
    await push(`${catalogPath("certified")}:v4.20`);
    await push(`${catalogPath("community")}:v4.20`);
    const { issues } = await world.settle("clusters/shop");
    expect(issues).toMatchObject([{ code: "CatalogsNotFound" }]);
    expect(imageOf(await annotationsOf(world), "certified")).toBeUndefined();

    await push(`${catalogPath("redhat")}:v4.20`);
    await world.settle("clusters/shop");
    const first = await annotationsOf(world);
    for (const name of catalogs) expect(imageOf(first, name)).toMatch(/@sha256:[0-9a-f]{64}$/);

    const refreshed = await push(`${catalogPath("redhat")}:v4.20`);
    await running?.[Symbol.asyncDispose]();
    running = undefined;
    expect((await world.settle("clusters/shop")).issues).toMatchObject([{ code: "CatalogsNotFound" }]);
    expect(await annotationsOf(world)).toEqual(first);

    running = await start();
    await world.settle("clusters/shop");
    const second = await annotationsOf(world);
    expect(imageOf(second, "redhat")).toBe(`${catalogPath("redhat")}@${refreshed.digest}`);
    expect(imageOf(second, "certified")).toBe(imageOf(first, "certified"));
    expect(world.outcomes.filter(({ type }) => type.endsWith(".changing"))).toHaveLength(2);
  } finally {
    await world.close();
  }
});

test("When the mirror refuses the cluster's pull secret, it should change nothing and say so without the secret", async () => {
  const world = await derivingWorld(basicOf(user, "guess"));
  try {
    for (const name of catalogs) await push(`${catalogPath(name)}:v4.20`);
    const { issues } = await world.settle("clusters/shop");
    expect(issues).toMatchObject([{ code: "CatalogsNotFound", message: expect.stringContaining("401") }]);
    expect(imageOf(await annotationsOf(world), "redhat")).toBeUndefined();
    expect(JSON.stringify([issues, world.outcomes])).not.toContain(basicOf(user, "guess"));
  } finally {
    await world.close();
  }
});
