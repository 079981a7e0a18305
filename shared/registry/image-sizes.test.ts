import { expect, test } from "vitest";
import { readManagementMirrors } from "../domain/hosted-clusters/overrides/management-mirrors.ts";
import { anImageDigestMirrorSet } from "../domain/mirrors/fixtures.ts";
import { emptySpec } from "../domain/precache/model/precaching-spec.ts";
import { type ImageLayer, type Registry, RegistryError } from "../ports/registry.ts";
import { imageSizes } from "./image-sizes.ts";

const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
const release = `quay.io/ocp/release@${digest("a")}`;
const cli = `quay.io/ocp/art@${digest("b")}`;
const aws = `quay.io/ocp/art@${digest("c")}`;
const own = `quay.io/acme/own@${digest("d")}`;
const { sources } = readManagementMirrors([
  anImageDigestMirrorSet("a", [{ source: "quay.io/ocp", mirrors: ["m1.lan/x", "m2.lan/x"] }]),
]);
const atMirror = (image: string, mirror = "m1.lan/x") => image.replace("quay.io/ocp", mirror);
const referencesTo = (images: Readonly<Record<string, string>>) =>
  JSON.stringify({
    spec: { tags: Object.entries(images).map(([name, from]) => ({ name, from: { name: from } })) },
  });

type Stock = Readonly<Record<string, Readonly<Record<string, number>> | RegistryError>>;

/** Registries with these layers, by their sizes, under references, and every request for an image. */
function registries(
  stock: Stock,
  payload: Readonly<Record<string, string>> = { cli, aws },
): Readonly<{ registry: Registry; requests: string[] }> {
  const requests: string[] = [];
  const registry: Registry = {
    digest: async (image) => (image in stock ? digest("a") : undefined),
    tags: async () => undefined,
    image: async (image, _access, { architecture = "" } = {}) => {
      if (architecture) requests.push(`${architecture} ${image}`);
      const found = stock[image];
      if (found instanceof RegistryError) throw found;
      const layers = Object.entries(found ?? {}).map(
        ([name, size]): ImageLayer => ({ digest: name, size, mediaType: "" }),
      );
      const one = { digest: "", listDigest: "", os: "linux", labels: {}, size: 0 };
      return found && { ...one, architecture, layers };
    },
    files: async (_image, paths) => new Map(paths.map((path) => [path, referencesTo(payload)])),
  };
  return { registry, requests };
}

const whole: Stock = {
  [atMirror(release)]: { base: 10, release: 1 },
  [atMirror(cli)]: { base: 10, cli: 2 },
  [atMirror(aws)]: { base: 10, aws: 4 },
  [own]: { own: 8 },
};
const spec = { ...emptySpec, platformImage: release, additionalImages: [own] };

test("When images share a layer, it should count once, and everything should be read from the mirror", async () => {
  const { registry, requests } = registries(whole);
  const { layers, notCounted } = await imageSizes(registry, sources, {}).measure(spec, "amd64");
  expect(Object.fromEntries(layers)).toEqual({ base: 10, release: 1, cli: 2, aws: 4, own: 8 });
  expect(notCounted).toEqual([]);
  expect(requests.toSorted()).toEqual(
    Object.keys(whole)
      .map((image) => `amd64 ${image}`)
      .toSorted(),
  );
});

test("When a release has the OS images of two streams, all should count, with what a cluster of one stream saves", async () => {
  const tags = { "rhel-coreos": cli, "rhel-coreos-10": aws };
  const { registry } = registries(whole, tags);
  const { layers, osStreams } = await imageSizes(registry, sources, {}).measure(spec, "amd64");
  expect([...layers.keys()].toSorted()).toEqual(["aws", "base", "cli", "own", "release"]);
  expect(osStreams).toEqual([
    { stream: "rhel-9", savedBytes: 4 },
    { stream: "rhel-10", savedBytes: 2 },
  ]);
});

test("When two plans have the same images, registries should be read once for each architecture", async () => {
  const { registry, requests } = registries(whole);
  const sizes = imageSizes(registry, sources, {});
  await Promise.all([sizes.measure(spec, "amd64"), sizes.measure(spec, "amd64")]);
  await sizes.measure(spec, "arm64");
  expect(requests).toHaveLength(8);
});

test("When a pattern leaves an image out, it should not count, and one that is not applied should be reported", async () => {
  const { registry } = registries(whole);
  const excludePrecachePatterns = ['"aws', "[c]li"];
  const { layers, notCounted } = await imageSizes(registry, sources, {}).measure(
    { ...spec, excludePrecachePatterns },
    "amd64",
  );
  expect([...layers.keys()].toSorted()).toEqual(["base", "cli", "own", "release"]);
  expect(notCounted.map(({ name }) => name)).toEqual(["[c]li"]);
});

test("When a mirror fails, the next should be tried", async () => {
  const { registry } = registries({
    ...whole,
    [atMirror(cli)]: new RegistryError("Unavailable", "down"),
    [atMirror(cli, "m2.lan/x")]: { other: 3 },
  });
  const { layers, notCounted } = await imageSizes(registry, sources, {}).measure(spec, "amd64");
  expect([layers.get("other"), layers.has("cli"), notCounted]).toEqual([3, false, []]);
});

test("When a registry responds for no image, the others should not be tried", async () => {
  const additionalImages = Array.from({ length: 30 }, (_, number) => `down.lan/a/image:${number}`);
  const down = new RegistryError("Timeout", "the registry did not respond in time");
  const { registry, requests } = registries({
    ...Object.fromEntries(additionalImages.map((image) => [image, down])),
    [own]: { own: 8 },
  });
  const { layers, notCounted } = await imageSizes(registry, sources, {}).measure(
    { ...emptySpec, additionalImages: [...additionalImages, own] },
    "amd64",
  );
  expect(Object.fromEntries(layers)).toEqual({ own: 8 });
  expect(notCounted.map(({ name }) => name)).toEqual(additionalImages);
  expect(notCounted.at(-1)?.reason).toContain("the registry did not respond for other images");
  expect(requests.length).toBeLessThanOrEqual(11);
});

test("When a registry fails occasionally, every image should be tried", async () => {
  const additionalImages = Array.from({ length: 30 }, (_, number) => `m.lan/a/image:${number}`);
  const failing = new RegistryError("Unavailable", "503");
  const { registry, requests } = registries(
    Object.fromEntries(
      additionalImages.map((image, number) => [image, number % 3 === 2 ? failing : { [image]: 1 }]),
    ),
  );
  const { layers } = await imageSizes(registry, sources, {}).measure(
    { ...emptySpec, additionalImages },
    "amd64",
  );
  expect([layers.size, requests.length]).toEqual([20, 30]);
});

test("When an image is not found, the others should count, and the tried locations should be reported", async () => {
  const { [own]: _, ...rest } = whole;
  const { registry } = registries(rest);
  const { layers, notCounted } = await imageSizes(registry, sources, {}).measure(spec, "amd64");
  expect(layers.size).toBe(4);
  expect(notCounted).toEqual([{ name: own, reason: `${own}: the registry does not have it` }]);
});

test("When the release is missing, its images should be reported as not known", async () => {
  const { registry } = registries({ [own]: { own: 8 } });
  const { layers, notCounted } = await imageSizes(registry, sources, {}).measure(spec, "amd64");
  expect(Object.fromEntries(layers)).toEqual({ own: 8 });
  const reason = expect.stringContaining(`the release's images are not known: ${atMirror(release)}: `);
  expect(notCounted).toEqual([{ name: release, reason }]);
});

test("When there are operators, the index image should count and the catalog be named", async () => {
  const index = `quay.io/acme/index@${digest("e")}`;
  const { registry } = registries({ [index]: { index: 16 } });
  const { layers, catalogs } = await imageSizes(registry, sources, {}).measure(
    { ...emptySpec, operatorsIndexes: [index], operatorsPackagesAndChannels: ["sriov:stable"] },
    "amd64",
  );
  expect(Object.fromEntries(layers)).toEqual({ index: 16 });
  expect(catalogs).toEqual([index]);
});
