import { describe, expect, onTestFinished, test } from "vitest";
import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import type { Registry, RegistryAccess, RegistryContents } from "#shared/ports/registry.ts";
import { heldImage, heldRegistry } from "../support/servers/held-registry.ts";
import { quick, refusal } from "../support/servers/registry-client.ts";
import { scriptedImage, scriptedRegistry } from "../support/servers/scripted-registry.ts";

/** Registries with the image `acme/app:v1`, which has one layer with one file. */
type UnderTest = Readonly<{
  registry: Registry & RegistryContents;
  access: RegistryAccess;
  host: string;
  digest: string;
  layer: string;
  remove(): void;
  fail(): void;
}>;

const files = { "etc/motd": "welcome" };

async function overHttp(): Promise<UnderTest> {
  const image = await scriptedImage({ layers: [files] });
  const held = new Map([["acme/app:v1", image]]);
  let isDown = false;
  const { host } = await scriptedRegistry(held, () =>
    isDown ? (_, response) => response.writeHead(503).end() : undefined,
  );
  const registry = ociRegistry({ ...quick, maxAttempts: 1, tagLifetimeMs: 0, contentLifetimeMs: 0 });
  onTestFinished(() => registry.close());
  const access = { insecureHosts: [host] };
  const found = await registry.image(`${host}/acme/app:v1`, access);
  return {
    registry,
    access,
    host,
    digest: image.digest,
    layer: found?.layers[0]?.digest ?? "",
    remove: () => held.clear(),
    fail() {
      isDown = true;
    },
  };
}

async function inMemory(): Promise<UnderTest> {
  const { registry, images, fail } = heldRegistry();
  const image = heldImage(files);
  images.set("registry.lan/acme/app:v1", image);
  return {
    registry,
    access: {},
    host: "registry.lan",
    digest: image.digest,
    layer: image.layers[0] ?? "",
    remove: () => images.clear(),
    fail: () => fail(true),
  };
}

describe.each([
  ["over HTTP", overHttp],
  ["in memory", inMemory],
])("registries %s", (_, open) => {
  test("When an image is there, it should be found by tag and digest, with its parts and files", async () => {
    const { registry, access, host, digest, layer } = await open();
    for (const version of [":v1", `@${digest}`]) {
      const reference = `${host}/acme/app${version}`;
      expect(await registry.digest(reference, access)).toBe(digest);
      const manifest = await registry.manifest(reference, access);
      expect(manifest).toMatchObject({ kind: "image", digest, layers: [{ digest: layer }] });
      if (manifest?.kind === "image")
        for (const blob of [manifest.config, ...manifest.layers])
          expect(await registry.hasBlob(reference, blob.digest, access)).toBe(true);
      expect(await registry.files(reference, ["etc/motd", "etc/none"], access)).toEqual(
        new Map([["etc/motd", "welcome"]]),
      );
      expect(await registry.signatures(reference, digest, access)).toEqual([]);
    }
  });

  test("When an image is in another repository, is missing, or has gone, it should not be found", async () => {
    const { registry, access, host, digest, layer, remove } = await open();
    const none = `sha256:${"0".repeat(64)}`;
    for (const reference of [`${host}/acme/app:v2`, `${host}/acme/app@${none}`]) {
      expect(await registry.digest(reference, access)).toBeUndefined();
      expect(await registry.manifest(reference, access)).toBeUndefined();
    }
    expect(await registry.hasBlob(`${host}/acme/app:v1`, none, access)).toBe(false);
    remove();
    expect(await registry.digest(`${host}/acme/app@${digest}`, access)).toBeUndefined();
    expect(await registry.manifest(`${host}/acme/app@${digest}`, access)).toBeUndefined();
    expect(await registry.hasBlob(`${host}/acme/app:v1`, layer, access)).toBe(false);
  });

  test("When registries fail, every request should fail as unavailable", async () => {
    const { registry, access, host, layer, fail } = await open();
    fail();
    const reference = `${host}/acme/app:v1`;
    const requests = [
      () => registry.digest(reference, access),
      () => registry.manifest(reference, access),
      () => registry.hasBlob(reference, layer, access),
      () => registry.files(reference, ["etc/motd"], access),
    ];
    for (const request of requests) expect((await refusal(request())).code).toBe("Unavailable");
  });
});
