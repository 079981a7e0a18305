import { describe, expect, test } from "vitest";
import { aRegistry, quick, refusal, secret } from "../../../test/support/servers/registry-client.ts";
import {
  type ApiCall,
  type ApiScript,
  respondJson,
  scriptedApi,
} from "../../../test/support/servers/scripted-api.ts";
import {
  challenge,
  pullSecretFor,
  scriptedImage,
  scriptedIndex,
  scriptedRegistry,
} from "../../../test/support/servers/scripted-registry.ts";
import { ociRegistry } from "./oci-registry.ts";

describe("the content of a registry", () => {
  test("When a tag exists, it should return its digest, and undefined for one that does not", async () => {
    const image = await scriptedImage();
    const { host, access, registry } = await aRegistry({ "olm/index:v4.20": image });
    expect(await registry.digest(`${host}/olm/index:v4.20`, access)).toBe(image.digest);
    expect(await registry.digest(`${host}/olm/index@${image.digest}`, access)).toBe(image.digest);
    expect(await registry.digest(`${host}/olm/index:v4.21`, access)).toBeUndefined();
  });

  test("When an image is for one platform, it should be read with labels, layers and its size", async () => {
    const labels = { "io.openshift.release": "4.20.4" };
    const image = await scriptedImage({ labels, layers: [{ a: "1" }, { b: "2" }] });
    const { host, access, registry } = await aRegistry({ "ocp/release:4.20.4": image });
    const found = await registry.image(`${host}/ocp/release:4.20.4`, access);
    expect(found).toMatchObject({ digest: image.digest, labels, architecture: "amd64", size: image.size });
    expect(found?.layers).toHaveLength(2);
  });

  test("When an image is for several platforms, it should be the requested one", async () => {
    const amd64 = await scriptedImage({ labels: { of: "amd64" } });
    const arm64 = await scriptedImage({ labels: { of: "arm64" }, architecture: "arm64" });
    const list = scriptedIndex([
      { image: amd64, architecture: "amd64" },
      { image: arm64, architecture: "arm64" },
    ]);
    const held = { "a/b:multi": list, "a/b:amd64": amd64, "a/b:arm64": arm64 };
    const { host, access, registry } = await aRegistry(held);
    const read = (architecture: string) => registry.image(`${host}/a/b:multi`, access, { architecture });
    expect(await read("arm64")).toMatchObject({ digest: arm64.digest, listDigest: list.digest });
    expect(await registry.image(`${host}/a/b:multi`, access)).toMatchObject({ labels: { of: "amd64" } });
    expect(await read("s390x")).toBeUndefined();
  });

  test("When files are read, it should be the topmost layer's, without those that a layer removes", async () => {
    const image = await scriptedImage({
      layers: [
        { "release-manifests/image-references": "old", "etc/gone": "1", "etc/kept": "2" },
        { "./release-manifests/image-references": "new", "etc/.wh.gone": "" },
      ],
    });
    const { host, access, registry } = await aRegistry({ "ocp/release:1": image });
    const paths = ["release-manifests/image-references", "etc/gone", "etc/kept", "nowhere"];
    const files = await registry.files(`${host}/ocp/release:1`, paths, access);
    expect(Object.fromEntries(files)).toEqual({
      "release-manifests/image-references": "new",
      "etc/kept": "2",
    });
    expect(await registry.files(`${host}/ocp/release:2`, paths, access)).toEqual(new Map());
  });
});

describe("a blob that is kept elsewhere", () => {
  test("When a registry redirects, it should be followed without the credential", async () => {
    const labels = { "io.openshift.release": "4.20.4" };
    const image = await scriptedImage({ labels });
    const store = await scriptedApi(
      ({ path }, response) => response.writeHead(200).end(image.blobs.get(path.slice(1))),
      { isTls: true },
    );
    const guard = ({ path, headers }: ApiCall): ApiScript | undefined => {
      if (headers.authorization !== `Basic ${secret}`) return challenge('Basic realm="test"');
      const [, digest] = /\/blobs\/(.+)$/.exec(path) ?? [];
      if (!digest) return undefined;
      return (_, response) => response.writeHead(307, { location: `${store.url}/${digest}` }).end();
    };
    const { host, access, registry } = await aRegistry({ "a/b:1": image }, guard);
    const mine = { ...access, pullSecret: pullSecretFor({ [host]: secret }) };
    expect(await registry.image(`${host}/a/b:1`, mine)).toMatchObject({ labels });
    expect(store.calls).toHaveLength(1);
    expect(store.calls[0]?.headers.authorization).toBeUndefined();
  });

  test("When a connection breaks within a layer, only the rest should be requested again", async () => {
    const image = await scriptedImage({ layers: [{ file: "right" }] });
    const [digest = "", layer = Buffer.alloc(0)] = [...image.blobs].at(0) ?? [];
    const half = Math.floor(layer.length / 2);
    const guard = ({ path, headers }: ApiCall): ApiScript | undefined => {
      if (!path.endsWith(digest)) return undefined;
      if (headers.range === undefined)
        return (_, response) => {
          response.writeHead(200, { "content-length": layer.length });
          response.write(layer.subarray(0, half), () => response.destroy());
        };
      const range = `bytes ${half}-${layer.length - 1}/${layer.length}`;
      return (_, response) => response.writeHead(206, { "content-range": range }).end(layer.subarray(half));
    };
    const { host, access, registry } = await aRegistry({ "a/b:1": image }, guard);
    const files = await registry.files(`${host}/a/b:1`, ["file"], access);
    expect(Object.fromEntries(files)).toEqual({ file: "right" });
  });

  test("When a registry with TLS redirects to plain HTTP, it should not be followed", async () => {
    const store = await scriptedApi((_, response) => respondJson(response, 200, {}));
    const { host, access, registry } = await aRegistry({}, () => (_, response) => {
      response.writeHead(307, { location: store.url }).end();
    });
    expect((await refusal(registry.image(`${host}/a/b:1`, access))).code).toBe("UnexpectedStatus");
    expect(store.calls).toEqual([]);
  });

  test.for([
    ["form a circle", "", 1],
    ["never end", "0", 6],
  ] as const)("When redirects %s, it should end", async ([, more, calls]) => {
    const { host, access, registry, server } = await aRegistry({}, ({ path }) => (_, response) => {
      response.writeHead(302, { location: `${path}${more}` }).end();
    });
    expect((await refusal(registry.digest(`${host}/a/b:1`, access))).code).toBe("UnexpectedStatus");
    expect(server.calls).toHaveLength(calls);
  });
});

describe("cached responses", () => {
  test("When a tag moves, it should be seen after its lifetime, and content with a digest be requested once", async () => {
    const before = await scriptedImage({ labels: { at: "1" } });
    const after = await scriptedImage({ labels: { at: "2" } });
    const held = new Map([["a/b:1", before]]);
    const server = await scriptedRegistry(held);
    let time = 0;
    const registry = ociRegistry({ ...quick, now: () => time, tagLifetimeMs: 60_000 });
    const access = { insecureHosts: [server.host] };
    const digest = () => registry.digest(`${server.host}/a/b:1`, access);
    expect(await digest()).toBe(before.digest);
    held.set("a/b:1", after);
    time = 59_000;
    expect(await digest()).toBe(before.digest);
    time = 60_000;
    expect(await digest()).toBe(after.digest);
    const calls = () => server.calls.filter(({ method }) => method === "GET").length;
    await registry.image(`${server.host}/a/b@${after.digest}`, access);
    const known = calls();
    time = 1e12;
    await registry.image(`${server.host}/a/b@${after.digest}`, access);
    expect(calls()).toBe(known);
  });

  test("When one tag is read concurrently, it should be requested once, and its content once", async () => {
    const image = await scriptedImage();
    const { host, access, registry, server } = await aRegistry({ "a/b:1": image });
    await Promise.all(Array.from({ length: 50 }, () => registry.digest(`${host}/a/b:1`, access)));
    expect(server.calls.map(({ method }) => method)).toEqual(["HEAD", "GET"]);
  });
});

test("When a registry has presented its certificate, the client should know its end", async () => {
  const { registry, host, access } = await aRegistry({});
  expect(registry.certificates?.size).toBe(0);
  await registry.digest(`${host}/a/b:1`, access);
  expect(registry.certificates?.get(host)?.to).toEqual(new Date("2120-01-01T00:00:00Z"));
});
