import { fieldsOf, isRecord, objectsOf } from "../../domain/kubernetes/json/values.ts";
import { type ImageLayer, type PlatformManifest, RegistryError } from "../../ports/registry.ts";
import type { Fields } from "./body.ts";

const ociIndex = "application/vnd.oci.image.index.v1+json";
const dockerList = "application/vnd.docker.distribution.manifest.list.v2+json";
export const ociManifest = "application/vnd.oci.image.manifest.v1+json";
const dockerManifest = "application/vnd.docker.distribution.manifest.v2+json";

/** The media types that the client accepts for a manifest. */
export const manifestTypes = [ociIndex, dockerList, ociManifest, dockerManifest].join(", ");

/** One image's manifest. */
export type ImageManifest = Readonly<{ config: ImageLayer; layers: readonly ImageLayer[] }>;

/** One image's manifest, or a list with a manifest for each platform. */
export type Manifest =
  | Readonly<{ kind: "image"; image: ImageManifest }>
  | Readonly<{ kind: "list"; platforms: readonly PlatformManifest[] }>;

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function blobOf(value: unknown): ImageLayer | undefined {
  if (!isRecord(value)) return undefined;
  const { digest, size, mediaType } = value;
  if (typeof digest !== "string" || typeof size !== "number" || !(size >= 0)) return undefined;
  return { digest, size, mediaType: text(mediaType) };
}

/** Reads a manifest or a list of manifests. Throws `RegistryError` if the content is neither. */
export function readManifest(content: Fields, what: string): Manifest {
  if (Array.isArray(content.manifests)) {
    const platforms = objectsOf(content.manifests).map(({ digest, platform }) => {
      const { architecture, os } = fieldsOf(platform);
      return { digest: text(digest), architecture: text(architecture), os: text(os) };
    });
    return { kind: "list", platforms };
  }
  const config = blobOf(content.config);
  const layers = objectsOf(content.layers).map(blobOf);
  const complete = layers.filter((layer) => layer !== undefined);
  if (!config || complete.length !== layers.length)
    throw new RegistryError("InvalidResponse", `${what}: the manifest's format is not supported`);
  return { kind: "image", image: { config, layers: complete } };
}

/** Returns the manifest for Linux on this architecture, or else the only image if the list has just one. */
export function choosePlatform(
  platforms: readonly PlatformManifest[],
  architecture: string,
): PlatformManifest | undefined {
  // Attestations are listed like images, with `unknown` as their platform.
  const images = platforms.filter(({ os, digest }) => os !== "unknown" && digest !== "");
  const matching = images.find((one) => one.architecture === architecture && (one.os || "linux") === "linux");
  return matching ?? (images.length === 1 ? images[0] : undefined);
}
