import { expect, test } from "vitest";
import { aClient, aRegistry, trusted } from "../../../test/support/servers/registry-client.ts";
import type { ApiCall, ApiScript } from "../../../test/support/servers/scripted-api.ts";
import { scriptedImage } from "../../../test/support/servers/scripted-registry.ts";
import type { ImageRoute } from "../../domain/ready/locations.ts";
import { checkImages } from "./check-images.ts";

const routeTo = (reference: string): ImageRoute => ({
  image: reference,
  locations: [{ reference, isMirror: true, insecure: false, skipped: undefined, name: 0 }],
});

const options = { access: trusted, architectures: ["amd64"], depth: "blobs" } as const;

const manifestType = "application/vnd.oci.image.manifest.v1+json";
const listType = "application/vnd.oci.image.index.v1+json";
const blob = (digest: string) => ({ mediaType: "a", digest, size: 1 });
const json =
  (content: object): ApiScript =>
  (_, response) =>
    response.writeHead(200).end(JSON.stringify(content));

const endless: ApiScript = (_, response) => {
  const write = () => {
    while (!response.destroyed && response.write("x".repeat(64 * 1024)));
  };
  response.writeHead(200).on("drain", write);
  write();
};

test.for<{ what: string; status: string; script: ApiScript; atMost: number }>([
  { what: "sends a manifest without end", status: "incomplete", script: endless, atMost: 1 },
])("When a registry $what, its image should be $status, and another registry's be ready", async (given) => {
  const image = await scriptedImage();
  const hostile = await aRegistry({}, () => given.script);
  const honest = await aRegistry({ "ns/app:1": image });
  const routes = [hostile, honest].map(({ host }) => routeTo(`${host}/ns/app@${image.digest}`));
  const { images } = await checkImages(routes, { ...options, contents: aClient({ maxAttempts: 2 }) });
  expect(images.map(({ status }) => status)).toEqual([given.status, "ready"]);
  expect(hostile.server.calls.length).toBeLessThanOrEqual(given.atMost);
});

test("When a registry begins a manifest and sends no more, its image should be unreachable", async () => {
  const { host } = await aRegistry({}, () => (_, response) => {
    response.writeHead(200).write("{");
  });
  const contents = aClient({ maxAttempts: 2, callTimeoutMs: 500 });
  const { images } = await checkImages([routeTo(`${host}/ns/app:1`)], { ...options, contents });
  expect(images).toMatchObject([{ status: "unreachable" }]);
});

const notDigests = ["sha256:../../../v2/other/blobs/x", "sha256:", "a b", "", `sha256:${"A".repeat(64)}`];

test.for<{ what: string; content: object }>([
  {
    what: "layers that are no digests",
    content: {
      mediaType: manifestType,
      config: blob("sha256:0"),
      layers: notDigests.map(blob),
    },
  },
  {
    what: "platforms that are no digests",
    content: {
      mediaType: listType,
      manifests: notDigests.map((digest) => ({ digest, platform: { os: "linux", architecture: "amd64" } })),
    },
  },
])("When a tag names a manifest with $what, none should be asked for", async ({ content }) => {
  const { host, server } = await aRegistry({}, (call: ApiCall) =>
    call.path.endsWith("/manifests/1") ? json(content) : undefined,
  );
  const { images } = await checkImages([routeTo(`${host}/ns/app:1`)], { ...options, contents: aClient() });
  expect(images).toMatchObject([{ status: "incomplete", from: null }]);
  expect(server.calls).toHaveLength(1);
});
