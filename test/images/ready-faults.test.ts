import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { aClusterImagePolicy } from "#shared/domain/mirrors/policies/fixtures.ts";
import { aDigestMirrorSet, anImageConfig, aTagMirrorSet } from "../support/hub/objects.ts";
import { basicOf, pullSecretFor } from "../support/servers/scripted-registry.ts";
import { hubrelay } from "../system/cli-in-process.ts";
import {
  type Door,
  type Loopback,
  type LoopbackRegistry,
  openLoopback,
  password,
  user,
} from "./support/network/loopback.ts";
import type { Image } from "./support/registries/image.ts";
import { removeBlob } from "./support/registries/registry.ts";
import { trustIn } from "./support/scenarios/ready.ts";
import { makeSigner } from "./support/scenarios/signature.ts";

/* One fault at a time, of real registries with a login: only the images that it is about may change their status. */

let loopback: Loopback;
let registries: Readonly<Record<Door, LoopbackRegistry>>;
let app: Image;
/** A list with the image of one architecture. */
let list: string;

const never = "NeverContactSource";
const listType = "application/vnd.oci.image.index.v1+json";

/** The names of images: by digest and tag from the registry with passwords, one from each of the others. */
const names = () => ({
  digest: `quay.io/password/app@${app.digest}`,
  tag: "quay.io/password/app:v1",
  token: `quay.io/token/app@${app.digest}`,
  list: `quay.io/plain/app@${list}`,
});
type Name = keyof ReturnType<typeof names>;

async function manifestOf({ layout, digest }: Image): Promise<string> {
  return readFile(join(layout, "blobs", digest.replace(":", "/")), "utf8");
}

/** The registry without a login takes a list without a client's help. */
async function pushList(): Promise<string> {
  const { host } = registries.plain;
  const manifest = await manifestOf(app);
  const one = {
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    digest: app.digest,
    size: manifest.length,
    platform: { architecture: "amd64", os: "linux" },
  };
  const response = await fetch(`http://${host}/v2/m/app/manifests/list`, {
    method: "PUT",
    headers: { "content-type": listType },
    body: JSON.stringify({ schemaVersion: 2, mediaType: listType, manifests: [one] }),
  });
  expect(response.status).toBe(201);
  return response.headers.get("docker-content-digest") ?? "";
}

beforeAll(async () => {
  loopback = await openLoopback();
  const open = (door: Door) => loopback.registry(door);
  registries = { password: await open("password"), token: await open("token"), plain: await open("plain") };
  const files = [{ path: "text", content: "one" }];
  for (const { host } of Object.values(registries)) app = await loopback.push(`${host}/m/app:v1`, files);
  list = await pushList();
});
afterAll(() => loopback[Symbol.asyncDispose]());

const mirrorOf = (door: Door) => ({
  source: `quay.io/${door}`,
  mirrors: [`${registries[door].host}/m`],
  mirrorSourcePolicy: never,
});

function secretOf(...doors: readonly Door[]): KubernetesObject {
  const logins = Object.fromEntries(doors.map((door) => [registries[door].host, basicOf(user, password)]));
  const content = Buffer.from(pullSecretFor(logins)).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "pull-secret", namespace: "openshift-config" },
    data: { ".dockerconfigjson": content },
  };
}

type Cluster = Readonly<{
  authorities?: string;
  logins?: readonly Door[];
  insecure?: readonly Door[];
  more?: readonly KubernetesObject[];
  args?: readonly string[];
}>;

/** Returns the status of each image as its nodes see it, in a cluster that differs in these from one without a fault. */
async function statuses({
  authorities = loopback.authorities,
  logins = ["password", "token"],
  insecure = ["plain"],
  more = [],
  args = [],
}: Cluster): Promise<Readonly<Record<Name, string>> & Readonly<{ exitCode: number | null }>> {
  const doors = ["password", "token", "plain"] as const;
  const items = [
    aDigestMirrorSet("digests", doors.map(mirrorOf)),
    aTagMirrorSet("tags", doors.map(mirrorOf)),
    anImageConfig({ insecureRegistries: insecure.map((door) => registries[door].host) }),
    ...trustIn(authorities),
    secretOf(...logins),
    ...more,
  ];
  const images = Object.entries(names());
  const { stdout, stderr, exitCode } = await hubrelay(
    ["ready", "-f", "-", "-o", "json", ...images.flatMap(([, image]) => ["--image", image]), ...args],
    { stdin: JSON.stringify({ apiVersion: "v1", kind: "List", items }) },
  );
  for (const hidden of [password, basicOf(user, password)]) expect(stdout + stderr).not.toContain(hidden);
  const report: { images: readonly { image: string; status: string }[] } = JSON.parse(stdout);
  const statusOf = (wanted: string) => report.images.find(({ image }) => image === wanted)?.status ?? stderr;
  const [digest, tag, token, ofList] = images.map(([, image]) => statusOf(image));
  return { digest: `${digest}`, tag: `${tag}`, token: `${token}`, list: `${ofList}`, exitCode };
}

const ready = { digest: "ready", tag: "ready", token: "ready", list: "ready", exitCode: 0 };

test("When nothing is wrong, every image should be ready", async () => {
  expect(await statuses({})).toEqual(ready);
});

const signed = () =>
  aClusterImagePolicy("signed", ["quay.io/token"], {
    rootOfTrust: {
      policyType: "PublicKey",
      publicKey: { keyData: Buffer.from(makeSigner().publicKey).toString("base64") },
    },
  });

test.for<{ fault: string; cluster: () => Cluster; changes: Partial<Record<Name, string>> }>([
  {
    fault: "the login of one registry is missing",
    cluster: () => ({ logins: ["token"] }),
    changes: { digest: "unauthorized", tag: "unauthorized" },
  },
  {
    fault: "the login of the registry with tokens is missing",
    cluster: () => ({ logins: ["password"] }),
    changes: { token: "unauthorized" },
  },
  {
    fault: "no authority is trusted",
    cluster: () => ({ authorities: "" }),
    changes: { digest: "untrusted", tag: "untrusted", token: "untrusted" },
  },
  {
    fault: "the registry without TLS is not listed as insecure",
    cluster: () => ({ insecure: [] }),
    changes: { list: "untrusted" },
  },
  {
    fault: "an architecture is missing in a list",
    cluster: () => ({ args: ["--arch", "amd64", "--arch", "arm64"] }),
    changes: { list: "incomplete" },
  },
  {
    fault: "a policy requires signatures that are not there",
    cluster: () => ({ more: [signed()] }),
    changes: { token: "unsigned" },
  },
])(
  "When $fault, only the images that it is about should have another status",
  async ({ cluster, changes }) => {
    expect(await statuses(cluster())).toEqual({ ...ready, ...changes, exitCode: 1 });
  },
);

test("When a registry is stopped, its images should be unreachable until it is back", async () => {
  await registries.token.stop();
  expect(await statuses({})).toEqual({ ...ready, token: "unreachable", exitCode: 2 });
  await registries.token.start();
  expect(await statuses({})).toEqual(ready);
});

test("When a mirror lacks a tag, the image should be missing by that tag only", async () => {
  const { host } = registries.plain;
  const named = ["v1", "v2"].map((tag) => `quay.io/plain/app:${tag}`);
  const args = named.flatMap((image) => ["--image", image]);
  const objects = [aTagMirrorSet("tags", [mirrorOf("plain")]), anImageConfig({ insecureRegistries: [host] })];
  const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  const { stdout } = await hubrelay(["ready", "-f", "-", "-o", "json", ...args], { stdin });
  const report: { images: readonly { status: string }[] } = JSON.parse(stdout);
  expect(report.images.map(({ status }) => status)).toEqual(["ready", "missing"]);
});

test("When a layer is missing in one repository, the images in it should be incomplete, unless only manifests count", async () => {
  const { layers }: { layers: readonly { digest: string }[] } = JSON.parse(await manifestOf(app));
  await removeBlob(loopback.folder, `${registries.token.host}/m/app`, layers[0]?.digest ?? "");
  expect(await statuses({})).toEqual({ ...ready, token: "incomplete", exitCode: 1 });
  expect(await statuses({ args: ["--depth", "manifests"] })).toEqual(ready);
});
