import { tryParseImageReference } from "../../domain/images/image-reference.ts";
import { RegistryError } from "../../ports/registry.ts";

/** The location of an image: its registry, and the path and version within it. */
export type ImageLocation = Readonly<{
  /** `host[:port]`, as in credentials and references. */
  host: string;
  path: string;
  /** Digest or tag; `latest` where the reference has neither. */
  version: string;
}>;

/** Returns the location of an image; throws `RegistryError` when the reference is incomplete. */
export function locationOf(image: string): ImageLocation {
  const reference = tryParseImageReference(image);
  if (!reference)
    throw new RegistryError(
      "InvalidReference",
      `${image.slice(0, 300)} is not a full image reference such as quay.io/acme/app:v1.`,
    );
  const { repository, tag, digest } = reference;
  const slash = repository.indexOf("/");
  return {
    host: repository.slice(0, slash),
    path: repository.slice(slash + 1),
    version: digest ?? tag ?? "latest",
  };
}

/** Returns `host/path` with `:tag` or `@digest`. */
export function locationText({ host, path, version }: ImageLocation): string {
  return `${host}/${path}${version.includes(":") ? "@" : ":"}${version}`;
}

/** Returns the API host: Docker's registry has another host than the one in references. */
export function apiHost(host: string): string {
  return host === "docker.io" ? "registry-1.docker.io" : host;
}
