import { hash } from "node:crypto";
import { type Registry, type RegistryContents, RegistryError } from "#shared/ports/registry.ts";

/** An image that a registry in memory holds. */
export type HeldImage = Readonly<{
  digest: string;
  layers: readonly string[];
  /** The files of its topmost layer. */
  files: Readonly<Record<string, string>>;
}>;

const digestOf = (text: string): string => `sha256:${hash("sha256", text)}`;

/** An image with these files, whose digests follow from them. */
export function heldImage(files: Readonly<Record<string, string>>): HeldImage {
  const content = JSON.stringify(files);
  return { digest: digestOf(content), layers: [digestOf(`layer ${content}`)], files };
}

/** A release with these components, by their full names. */
export function heldRelease(components: readonly string[], version = "4.20.4"): HeldImage {
  const tags = components.map((name, index) => ({ name: `part${index}`, from: { name } }));
  const references = JSON.stringify({ metadata: { name: version }, spec: { tags } });
  return heldImage({ "release-manifests/image-references": references });
}

const mediaType = "application/vnd.oci.image.layer.v1.tar+gzip";

/**
 * Registries in memory, for tests that need no server: images by `host/path` and tag. They behave as `ociRegistry` does:
 * test/contract/registry-contents.test.ts checks both.
 */
export function heldRegistry() {
  const images = new Map<string, HeldImage>();
  const lostBlobs = new Set<string>();
  const asked: string[] = [];
  let isDown = false;

  const repositoryOf = (reference: string) => reference.replace(/(?:@.*|:[^:/]*)$/, "");
  const inRepository = (repository: string) =>
    [...images].flatMap(([name, image]) => (repositoryOf(name) === repository ? [image] : []));
  const find = (reference: string): HeldImage | undefined => {
    const [, digest] = reference.split("@");
    if (digest === undefined) return images.get(reference);
    return inRepository(repositoryOf(reference)).find((image) => image.digest === digest);
  };
  async function ask<Result>(what: string, result: () => Result): Promise<Result> {
    asked.push(what);
    if (isDown) throw new RegistryError("Unavailable", `${what}: the registry returned 503`);
    return result();
  }
  const layersOf = ({ layers }: HeldImage) => layers.map((digest) => ({ digest, size: 100, mediaType }));

  const registry: Registry & RegistryContents = {
    digest: (image) => ask(`HEAD ${image}`, () => find(image)?.digest),
    image: (image) =>
      ask(`GET ${image}`, () => {
        const found = find(image);
        if (!found) return undefined;
        const { digest } = found;
        const platform = { architecture: "amd64", os: "linux", labels: {}, layers: layersOf(found) };
        return { digest, listDigest: digest, size: 100, ...platform };
      }),
    files: (image, paths) =>
      ask(`GET ${image}`, () => {
        const { files = {} } = find(image) ?? {};
        return new Map(Object.entries(files).filter(([path]) => paths.includes(path)));
      }),
    manifest: (image) =>
      ask(`GET ${image}`, () => {
        const found = find(image);
        if (!found) return undefined;
        const config = { digest: digestOf(`config ${found.digest}`), size: 10, mediaType };
        return { kind: "image" as const, digest: found.digest, size: 100, config, layers: layersOf(found) };
      }),
    hasBlob: (image, digest) =>
      ask(`HEAD ${repositoryOf(image)} ${digest}`, () => {
        const blobs = inRepository(repositoryOf(image)).flatMap((one) => [
          ...one.layers,
          digestOf(`config ${one.digest}`),
        ]);
        return blobs.includes(digest) && !lostBlobs.has(digest);
      }),
    signatures: async () => [],
    visitFolder: async () => false,
  };
  return {
    registry,
    asked,
    images,
    lostBlobs,
    /** Every request fails from now on, or none any more. */
    fail(isFailing: boolean): void {
      isDown = isFailing;
    },
  };
}
