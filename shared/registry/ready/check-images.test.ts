import { describe, expect, test } from "vitest";
import {
  makeSigner,
  signatureLayers,
  signatureTag,
} from "../../../test/support/servers/cosign-signatures.ts";
import { aClient, aRegistry, secret, trusted } from "../../../test/support/servers/registry-client.ts";
import type { ApiCall, ApiScript } from "../../../test/support/servers/scripted-api.ts";
import {
  challenge,
  pullSecretFor,
  type ScriptedImage,
  scriptedImage,
  scriptedIndex,
  scriptedSignatures,
} from "../../../test/support/servers/scripted-registry.ts";
import type { KubernetesObject } from "../../domain/kubernetes/object.ts";
import { configureMirrors } from "../../domain/mirrors/configuration.ts";
import { anImage, anImageDigestMirrorSet } from "../../domain/mirrors/fixtures.ts";
import { type ImageRoute, imageRoutes } from "../../domain/ready/locations.ts";
import type { RegistryAccess } from "../../ports/registry.ts";
import { withoutUnresponsive } from "../run-limits.ts";
import { checkImages } from "./check-images.ts";

const never = "NeverContactSource";

/** Nodes whose only location for images of `quay.io/ns` are these mirrors. */
function routesAt(
  hosts: readonly string[],
  images: readonly string[],
  others: Readonly<{ objects?: readonly KubernetesObject[]; image?: KubernetesObject }> = {},
): readonly ImageRoute[] {
  const mirrors = hosts.map((host) => `${host}/ns`);
  const rules = anImageDigestMirrorSet("a", [{ source: "quay.io/ns", mirrors, mirrorSourcePolicy: never }]);
  const { objects = [], ...image } = others;
  const { files } = configureMirrors({ objects: [rules, ...objects], ...image });
  const routeOf = imageRoutes(files);
  return images.map((name) => {
    const route = routeOf(name);
    if ("problem" in route) throw new Error(route.problem);
    return route;
  });
}

const named = ({ digest }: ScriptedImage, name = "app") => `quay.io/ns/${name}@${digest}`;

async function check(
  routes: readonly ImageRoute[],
  access: RegistryAccess = trusted,
  options: Partial<Parameters<typeof checkImages>[1]> = {},
) {
  const contents = withoutUnresponsive(aClient({ maxAttempts: 2 }));
  return checkImages(routes, { contents, access, architectures: ["amd64"], depth: "blobs", ...options });
}

const signer = makeSigner();
const policy: KubernetesObject = {
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterImagePolicy",
  metadata: { name: "signed" },
  spec: {
    scopes: ["quay.io/ns"],
    policy: {
      rootOfTrust: {
        policyType: "PublicKey",
        publicKey: {
          keyData: Buffer.from(signer.publicKey).toString("base64"),
        },
      },
    },
  },
};

/** Every way in which one thing is missing in an otherwise complete mirror. */
describe("one fault of a mirror", () => {
  const notFound: ApiScript = (_, response) => response.writeHead(404).end();
  const blobOf = (image: ScriptedImage) => [...image.blobs.keys()][0] ?? "";
  const isAbout = (part: string) => (call: ApiCall) => (call.path.endsWith(part) ? notFound : undefined);

  test.for<{
    fault: string;
    status: string;
    detail: string;
    guard?: (image: ScriptedImage, list: ScriptedImage) => (call: ApiCall) => ApiScript | undefined;
    access?: RegistryAccess;
    architectures?: readonly string[];
    objects?: readonly KubernetesObject[];
  }>([
    { fault: "nothing", status: "ready", detail: "" },
    {
      fault: "the manifest",
      status: "missing",
      detail: "does not have it",
      guard: (_, { digest }) => isAbout(`/manifests/${digest}`),
    },
    {
      fault: "the manifest of a platform",
      status: "incomplete",
      detail: "lacks the manifest for amd64",
      guard: ({ digest }) => isAbout(`/manifests/${digest}`),
    },
    {
      fault: "one blob",
      status: "incomplete",
      detail: "lacks blob sha256:",
      guard: (image) => isAbout(blobOf(image)),
    },
    {
      fault: "an architecture",
      status: "incomplete",
      detail: "lacks an image for arm64",
      architectures: ["amd64", "arm64"],
    },
    { fault: "the signature", status: "unsigned", detail: "none is there", objects: [policy] },
    {
      fault: "the login",
      status: "unauthorized",
      detail: "rejects these credentials",
      guard: () => () => challenge('Basic realm="mirror"'),
      access: { ...trusted, pullSecret: pullSecretFor({ "other.lan": secret }) },
    },
    {
      fault: "trust in its certificate",
      status: "untrusted",
      detail: "certificate is not trusted",
      access: {},
    },
    {
      fault: "every response",
      status: "unreachable",
      detail: "503",
      guard: () => () => (_, response) => response.writeHead(503).end(),
    },
    {
      fault: "a valid manifest",
      status: "incomplete",
      detail: "lacks a valid manifest",
      guard:
        ({ digest }) =>
        (call) =>
          call.path.endsWith(digest) ? (_, response) => response.writeHead(200).end("{}") : undefined,
    },
  ])("When a mirror lacks $fault, its image should be $status", async (given) => {
    const image = await scriptedImage({ layers: [{ a: "1" }, { b: "2" }] });
    const list = scriptedIndex([{ image, architecture: "amd64" }]);
    const held = { "ns/app:1": list, "ns/app:amd64": image };
    const guard = given.guard?.(image, list);
    const { host } = await aRegistry(held, guard);
    const { architectures = ["amd64"], objects = [], access, status, detail } = given;
    const [judged] = (await check(routesAt([host], [named(list)], { objects }), access, { architectures }))
      .images;
    expect(judged).toMatchObject({ status, from: status === "ready" ? expect.stringContaining(host) : null });
    expect(judged?.tried[0]?.detail).toContain(detail);
  });

  test.for([
    {
      what: "of the policy's key",
      signers: [signer],
      status: "ready",
      detail: "the signature that a policy requires",
    },
    {
      what: "of another key",
      signers: [makeSigner()],
      status: "unsigned",
      detail: "no key of the policy has signed it",
    },
  ])("When a signature $what is there, the image should be $status", async ({ signers, status, detail }) => {
    const image = await scriptedImage();
    const { host } = await aRegistry({
      "ns/app:1": image,
      [`ns/app:${signatureTag(image.digest)}`]: scriptedSignatures(
        signatureLayers(image.digest, "quay.io/ns/app:1", signers),
      ),
    });
    const { images } = await check(routesAt([host], [named(image)], { objects: [policy] }));
    expect(images).toMatchObject([{ status }]);
    expect(images[0]?.tried[0]?.detail).toContain(detail);
  });
});

test.for([
  { code: 403, status: "unsigned", detail: "none can be read" },
  { code: 503, status: "unreachable", detail: "none can be read" },
])(
  "When the first mirror responds with $code to a request for signatures, no other mirror should be asked, as by a node",
  async (given) => {
    const image = await scriptedImage();
    const tag = signatureTag(image.digest);
    const held = {
      "ns/app:1": image,
      [`ns/app:${tag}`]: scriptedSignatures(signatureLayers(image.digest, "quay.io/ns/app:1", [signer])),
    };
    const first = await aRegistry(held, ({ path }) =>
      path.endsWith(tag) ? (_, response) => response.writeHead(given.code).end() : undefined,
    );
    const second = await aRegistry(held);
    const routes = routesAt([first.host, second.host], [named(image)], { objects: [policy] });
    const { images } = await check(routes);
    expect(images).toMatchObject([{ status: given.status }]);
    expect(images[0]?.tried[0]?.detail).toContain(given.detail);
    expect(second.server.calls).toEqual([]);
  },
);

test("When the first mirror has the manifest but not a layer, no other mirror should count, as for a node", async () => {
  const image = await scriptedImage();
  const blob = [...image.blobs.keys()][0] ?? "";
  const first = await aRegistry({ "ns/app:1": image }, (call) =>
    call.path.endsWith(blob) ? (_, response) => response.writeHead(404).end() : undefined,
  );
  const second = await aRegistry({ "ns/app:1": image });
  const { images } = await check(routesAt([first.host, second.host], [named(image)]));
  expect(images).toMatchObject([{ status: "incomplete" }]);
  expect(second.server.calls).toEqual([]);
});

test("When the first mirror does not have the manifest, the second should be asked, over HTTP only by its own rule", async () => {
  const image = await scriptedImage();
  const first = await aRegistry({});
  const second = await aRegistry({ "ns/app:1": image });
  const routes = routesAt([first.host, second.host], [named(image)], {
    image: anImage({ insecureRegistries: [second.host] }),
  });
  const { images, bytes } = await check(routes, {
    authorities: trusted.authorities ?? "",
    insecureHosts: [],
  });
  expect(images).toMatchObject([
    {
      status: "ready",
      from: `${second.host}/ns/app@${image.digest}`,
      tried: [
        { result: "missing" },
        { result: "complete" },
        { result: "skipped", detail: "it is in quay.io/ns, which is blocked" },
      ],
    },
  ]);
  expect(bytes).toBe(image.size);
});

test("When images share layers, each manifest and each layer should be asked for once, and count once", async () => {
  const images = await Promise.all(
    Array.from({ length: 6 }, (_, number) =>
      scriptedImage({ layers: [{ base: "1" }, { own: String(number) }] }),
    ),
  );
  const held = Object.fromEntries(images.map((image, number) => [`ns/app:${number}`, image]));
  const { host, server } = await aRegistry(held);
  const progress: string[] = [];
  const { images: judged, bytes } = await check(
    routesAt(
      [host],
      images.map((image) => named(image)),
    ),
    trusted,
    { onProgress: ({ what, done, total }) => progress.push(`${what} ${done}/${total}`) },
  );
  expect(judged.map(({ status }) => status)).toEqual(Array(6).fill("ready"));
  const asked = server.calls.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(asked).size).toBe(asked.length);
  // Six manifests, and as blobs one configuration for all, one layer for all, and one of each image.
  expect(asked.length).toBe(6 + 1 + 1 + 6);
  const parts = new Map(images.flatMap((image) => [...image.blobs]));
  const manifests = images.reduce((sum, { manifest }) => sum + manifest.length, 0);
  expect(bytes).toBe([...parts.values()].reduce((sum, { length }) => sum + length, manifests));
  expect(progress.filter((one) => /(\d+)\/\1$/.test(one))).toEqual(["images 6/6", "layers 8/8"]);
});

test("When only manifests are asked for, no layer should be", async () => {
  const image = await scriptedImage();
  const { host, server } = await aRegistry({ "ns/app:1": image });
  const { images } = await check(routesAt([host], [named(image)]), trusted, { depth: "manifests" });
  expect(images).toMatchObject([{ status: "ready" }]);
  expect(server.calls.map(({ path }) => path)).toEqual([`/v2/ns/app/manifests/${image.digest}`]);
});

test("When only the source has an image, it should be source-only, and missing when the source cannot be asked", async () => {
  const image = await scriptedImage();
  const source = await aRegistry({ "ns/app:1": image });
  const mirror = await aRegistry({});
  const rules = anImageDigestMirrorSet("a", [{ source: `${source.host}/ns`, mirrors: [`${mirror.host}/x`] }]);
  const { files } = configureMirrors({ objects: [rules] });
  const routeOf = imageRoutes(files);
  const routeTo = (name: string) => {
    const route = routeOf(name);
    if ("problem" in route) throw new Error(route.problem);
    return route;
  };
  const there = routeTo(`${source.host}/ns/app@${image.digest}`);
  const isDisconnected = true;
  expect((await check([there])).images).toMatchObject([{ status: "source-only" }]);
  expect((await check([there], trusted, { isDisconnected })).images).toMatchObject([
    { status: "source-only" },
  ]);

  // The mirror has it after all, and an image that names the mirror itself needs no other.
  const itself = routeTo(`${mirror.host}/x/app@${image.digest}`);
  expect((await check([itself], trusted, { isDisconnected })).images).toMatchObject([{ status: "missing" }]);
});

test("When a mirror is on the nodes, it should not be asked, and whether nodes have the image is unknown", async () => {
  const image = `quay.io/ns/app@sha256:${"a".repeat(64)}`;
  const { images } = await check(routesAt(["localhost:22625"], [image]));
  expect(images).toMatchObject([
    {
      status: "unknown",
      tried: [
        {
          location: expect.stringContaining("localhost:22625"),
          result: "unknown",
          detail: expect.stringContaining("on the nodes"),
        },
        {},
      ],
    },
  ]);
});
