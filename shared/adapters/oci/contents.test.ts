import { describe, expect, test } from "vitest";
import {
  makeSigner,
  signatureLayers,
  signatureTag,
} from "../../../test/support/servers/cosign-signatures.ts";
import { aPlainRegistry, aRegistry, refusal } from "../../../test/support/servers/registry-client.ts";
import {
  scriptedImage,
  scriptedIndex,
  scriptedSignatures,
} from "../../../test/support/servers/scripted-registry.ts";

describe("registryContents", () => {
  test("When a manifest is read, its parts should be named, and nothing else requested", async () => {
    const image = await scriptedImage({ layers: [{ a: "1" }] });
    const list = scriptedIndex([{ image, architecture: "amd64" }]);
    const { host, access, registry, server } = await aRegistry({ "a/b:image": image, "a/b:list": list });
    expect(await registry.manifest(`${host}/a/b:image`, access)).toMatchObject({
      kind: "image",
      digest: image.digest,
      size: image.manifest.length,
      layers: [{ size: expect.any(Number) }],
    });
    expect(await registry.manifest(`${host}/a/b:list`, access)).toMatchObject({
      kind: "list",
      platforms: [{ digest: image.digest, architecture: "amd64", os: "linux" }],
    });
    expect(await registry.manifest(`${host}/a/b:none`, access)).toBeUndefined();
    expect(server.calls).toHaveLength(3);
  });

  test("When an image has signatures, those of sigstore should be read, and nothing else from their tag", async () => {
    const image = await scriptedImage();
    const [layer] = signatureLayers(image.digest, "quay.io/a/b:1", [makeSigner()]);
    const attestation = {
      mediaType: "application/vnd.dsse.envelope.v1+json",
      content: Buffer.from("{}"),
      annotations: {},
    };
    const { host, access, registry } = await aRegistry({
      "a/b:1": image,
      [`a/b:${signatureTag(image.digest)}`]: scriptedSignatures(layer ? [layer, attestation] : []),
    });
    const found = await registry.signatures(`${host}/a/b:1`, image.digest, access);
    expect(found).toEqual([{ payload: layer?.content.toString(), annotations: layer?.annotations }]);
    expect(await registry.signatures(`${host}/a/b:1`, `sha256:${"0".repeat(64)}`, access)).toEqual([]);
  });

  test.for([
    { what: "a layer that is no digest", layers: [{ digest: { toString: 1 } }] },
    { what: "a layer outside of its repository", layers: [{ digest: "../../other/blobs/sha256:0" }] },
    {
      what: "the type of Docker's manifests",
      mediaType: "application/vnd.docker.distribution.manifest.v2+json",
    },
  ])(
    "When a manifest of signatures has $what, it should be an error, and nothing else requested",
    async (given) => {
      const image = await scriptedImage();
      const tag = signatureTag(image.digest);
      const type = "application/vnd.dev.cosign.simplesigning.v1+json";
      const layers = given.layers?.map((layer) => ({ ...layer, mediaType: type, size: 1 })) ?? [];
      const mediaType = given.mediaType ?? "application/vnd.oci.image.manifest.v1+json";
      const { host, access, registry, server } = await aRegistry({ "a/b:1": image }, ({ path }) =>
        path.endsWith(tag)
          ? (_, response) => response.writeHead(200).end(JSON.stringify({ mediaType, layers }))
          : undefined,
      );
      const error = await refusal(registry.signatures(`${host}/a/b:1`, image.digest, access));
      expect(error.code).toBe("InvalidResponse");
      expect(server.calls).toHaveLength(1);
    },
  );

  test("When a registry refuses to return signatures, it should be an error", async () => {
    const image = await scriptedImage();
    const { host, access, registry } = await aRegistry(
      { "a/b:1": image },
      () => (_, response) => response.writeHead(403).end(),
    );
    const error = await refusal(registry.signatures(`${host}/a/b:1`, image.digest, access));
    expect(error.code).toBe("Unauthorized");
  });

  test("When a folder is read, each file should be the topmost layer's, without what layers remove", async () => {
    const image = await scriptedImage({
      layers: [
        {
          "configs/a/catalog.json": "lowest",
          "configs/gone/catalog.json": "1",
          "configs/emptied/old.json": "1",
          "configs/file-removed.json": "1",
          "other/file": "1",
        },
        { "configs/a/catalog.json": "lower", "configs/.wh.gone": "", "configs/.wh.file-removed.json": "" },
        {
          "./configs/a/catalog.json": "top",
          "configs/emptied/.wh..wh..opq": "",
          "configs/emptied/new.json": "2",
          "configsish/file": "1",
        },
      ],
    });
    const { host, access, registry } = await aRegistry({ "olm/index:1": image });
    const files = new Map<string, string>();
    const visit = (path: string, text: string) => {
      expect(files.has(path)).toBe(false);
      files.set(path, text);
    };
    expect(await registry.visitFolder(`${host}/olm/index:1`, "configs", visit, access)).toBe(true);
    expect(Object.fromEntries(files)).toEqual({
      "configs/a/catalog.json": "top",
      "configs/emptied/new.json": "2",
    });
    expect(await registry.visitFolder(`${host}/olm/index:2`, "configs", visit, access)).toBe(false);
  });
});

test("When an insecure registry has no TLS, HTTPS should be tried once, not before every request", async () => {
  const layers = Array.from({ length: 9 }, (_, number) => ({ [`${number}`]: "" }));
  const image = await scriptedImage({ layers });
  const { host, access, registry, server } = await aPlainRegistry({ "a/b:1": image });
  for (const digest of image.blobs.keys())
    expect(await registry.hasBlob(`${host}/a/b:1`, digest, access)).toBe(true);
  expect(server.calls).toHaveLength(image.blobs.size);
  // Those that begin with TLS, and one for all requests.
  expect(server.connections()).toBeLessThanOrEqual(3);
});
