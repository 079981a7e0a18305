import { tryParseImageReference } from "../../domain/images/image-reference.ts";
import { RegistryError } from "../../ports/registry.ts";

/** Where an image is: its registry, and the path and version that the registry knows it by. */
export type ImagePlace = Readonly<{
  /** `host[:port]`, as credentials and people name the registry. */
  host: string;
  path: string;
  /** Digest or tag; `latest` where the reference has neither. */
  version: string;
}>;

/** The place of an image; throws `RegistryError` when the reference is not written in full. */
export function placeOf(image: string): ImagePlace {
  const reference = tryParseImageReference(image);
  if (!reference)
    throw new RegistryError(
      "InvalidReference",
      `${image.slice(0, 300)} is no full image reference such as quay.io/acme/app:v1.`,
    );
  const { repository, tag, digest } = reference;
  const slash = repository.indexOf("/");
  return {
    host: repository.slice(0, slash),
    path: repository.slice(slash + 1),
    version: digest ?? tag ?? "latest",
  };
}

/** `host/path`, with what tells tag from digest. */
export function placeText({ host, path, version }: ImagePlace): string {
  return `${host}/${path}${version.includes(":") ? "@" : ":"}${version}`;
}

/** Docker's registry has another host than the name that references give it. */
export function apiHost(host: string): string {
  return host === "docker.io" ? "registry-1.docker.io" : host;
}
