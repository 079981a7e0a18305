import { expect, test } from "vitest";
import { configureMirrors } from "../domain/mirrors/configuration.ts";
import { anImageDigestMirrorSet } from "../domain/mirrors/fixtures.ts";
import { emptySpec, type PrecachingSpec } from "../domain/precache-model/precaching-spec.ts";
import { imageRoutes } from "../domain/ready/locations.ts";
import { type Registry, type RegistryContents, RegistryError } from "../ports/registry.ts";
import { measureImages } from "./image-sizes.ts";
import { withoutUnresponsive } from "./run-limits.ts";

const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
const release = `quay.io/ocp/release@${digest("a")}`;
const cli = `quay.io/ocp/art@${digest("b")}`;
const aws = `quay.io/ocp/art@${digest("c")}`;
const own = `quay.io/acme/own@${digest("d")}`;
const rules = anImageDigestMirrorSet("a", [{ source: "quay.io/ocp", mirrors: ["m1.lan/x", "m2.lan/x"] }]);
const routeOf = imageRoutes(configureMirrors({ objects: [rules] }).files);
const atMirror = (image: string) => image.replace("quay.io/ocp", "m1.lan/x");
const referencesTo = (images: Readonly<Record<string, string>>) =>
  JSON.stringify({
    spec: { tags: Object.entries(images).map(([name, from]) => ({ name, from: { name: from } })) },
  });

type Stock = Readonly<Record<string, Readonly<Record<string, number>> | RegistryError>>;

/** Measures images of registries that have these layers, by their sizes, under references; `requests` are for manifests. */
function registries(stock: Stock, payload: Readonly<Record<string, string>> = { cli, aws }) {
  const requests: string[] = [];
  const foundAt = (image: string) => {
    const found = stock[image];
    if (found instanceof RegistryError) throw found;
    return found;
  };
  const registry: Registry & RegistryContents = {
    digest: async (image) => (image in stock ? digest("a") : undefined),
    image: async () => undefined,
    files: async (_image, paths) => new Map(paths.map((path) => [path, referencesTo(payload)])),
    manifest: async (image) => {
      requests.push(image);
      const found = foundAt(image);
      const part = (name: string, size: number) => ({ digest: name, size, mediaType: "" });
      const layers = Object.entries(found ?? {}).map(([name, size]) => part(name, size));
      return found && { digest: "", size: 0, kind: "image", config: part("config", 1000), layers };
    },
    hasBlob: async () => false,
    signatures: async () => [],
    visitFolder: async () => false,
  };
  const reading = { registry: withoutUnresponsive(registry), access: {}, routeOf };
  return { requests, measure: (wanted: PrecachingSpec) => measureImages(wanted, "amd64", reading) };
}

const whole: Stock = {
  [atMirror(release)]: { base: 10, release: 1 },
  [atMirror(cli)]: { base: 10, cli: 2 },
  [atMirror(aws)]: { base: 10, aws: 4 },
  [own]: { own: 8 },
};
const spec = { ...emptySpec, platformImage: release, additionalImages: [own] };

test("When images share a layer, it should count once, and everything should be read from the mirror", async () => {
  const { measure, requests } = registries(whole);
  const { layers, notCounted } = await measure(spec);
  expect(Object.fromEntries(layers)).toEqual({ base: 10, release: 1, cli: 2, aws: 4, own: 8 });
  expect(notCounted).toEqual([]);
  expect(requests.toSorted()).toEqual(Object.keys(whole).toSorted());
});

test("When a pattern leaves an image out, it should not count, and one that is not applied should be reported", async () => {
  const { measure } = registries(whole);
  const { layers, notCounted } = await measure({ ...spec, excludePrecachePatterns: ['"aws', "[c]li"] });
  expect([...layers.keys()].toSorted()).toEqual(["base", "cli", "own", "release"]);
  expect(notCounted.map(({ name }) => name)).toEqual(["[c]li"]);
});

test("When a registry fails occasionally, every image should be tried, and those that it has should count", async () => {
  const additionalImages = Array.from({ length: 30 }, (_, number) => `m.lan/a/image:${number}`);
  const failing = new RegistryError("Unavailable", "503");
  const { measure, requests } = registries(
    Object.fromEntries(
      additionalImages.map((image, number) => [image, number % 3 === 2 ? failing : { [image]: 1 }]),
    ),
  );
  const { layers } = await measure({ ...emptySpec, additionalImages });
  expect([layers.size, requests.length]).toEqual([20, 30]);
});

test("When images are not found or have no valid name, the others should count, with the tried locations", async () => {
  const { [own]: _, ...rest } = whole;
  const { measure } = registries(rest);
  const { layers, notCounted } = await measure({ ...spec, additionalImages: [own, "quay.io/Own image"] });
  expect(layers.size).toBe(4);
  expect(notCounted).toEqual([
    { name: "quay.io/Own image", reason: expect.stringContaining("image") },
    { name: own, reason: `${own}: the registry does not have it` },
  ]);
});

test("When the release is missing, its images should be reported as not known", async () => {
  const { measure } = registries({ [own]: { own: 8 } });
  const { layers, notCounted } = await measure(spec);
  expect(Object.fromEntries(layers)).toEqual({ own: 8 });
  const reason = expect.stringContaining(`The images of this release are not known: ${atMirror(release)}: `);
  expect(notCounted).toEqual([{ name: release, reason }]);
});
