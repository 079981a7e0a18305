import type { Validity } from "../domain/ready/access-ends.ts";
import type { ImageSignature } from "../domain/ready/verify-signatures.ts";
import { PortError, type PortErrorOptions } from "./port-error.ts";

/** One entry of a list of manifests: the manifest for one platform. */
export type PlatformManifest = Readonly<{ digest: string; architecture: string; os: string }>;

/** A manifest in one repository: either of one image, or a list of manifests for several platforms. */
export type RegistryManifest = Readonly<{
  digest: string;
  /** Bytes of the manifest itself, without the blobs that it lists. */
  size: number;
  /** The digest of the image that this manifest is attached to, if it is a signature or another referrer. */
  subject?: string;
}> &
  (
    | Readonly<{ kind: "image"; config: ImageLayer; layers: readonly ImageLayer[] }>
    | Readonly<{ kind: "list"; platforms: readonly PlatformManifest[] }>
  );

/** Called with one file of an image; `path` has no leading slash. */
type VisitFile = (path: string, text: string) => void;

/**
 * Functions that read single parts of images, from the repository in the reference. They return undefined or false for
 * a missing part, and throw a `RegistryError` for any other failure.
 */
export type RegistryContents = Readonly<{
  manifest(image: string, access?: RegistryAccess): Promise<RegistryManifest | undefined>;
  /** Reports whether the repository of `image` has this blob, without reading its content. */
  hasBlob(image: string, digest: string, access?: RegistryAccess): Promise<boolean>;
  /**
   * Returns the sigstore signatures of this manifest in the repository of `image`, unverified: those of the tag
   * `sha256-….sig`, which is the only place where nodes look for them (containers/image v5.36.2, docker_image_src.go).
   */
  signatures(image: string, digest: string, access?: RegistryAccess): Promise<readonly ImageSignature[]>;
  /**
   * Calls `visit` with each file below a folder of the image, topmost layer first, without files that an upper layer
   * replaces or removes. Returns whether the image exists.
   */
  visitFolder(
    image: string,
    folder: string,
    visit: VisitFile,
    access?: RegistryAccess,
    choice?: ImageChoice,
  ): Promise<boolean>;
}>;

/** Lists the repositories of registries, and their tags. */
export type RegistryCatalog = Readonly<{
  /** Returns the paths of all repositories that these credentials may see in the registry at `host[:port]`. */
  repositories(host: string, access?: RegistryAccess): Promise<readonly string[]>;
  /** Returns all tags of `host/path`; empty for a repository that does not exist. */
  tags(repository: string, access?: RegistryAccess): Promise<readonly string[]>;
}>;

/** Credentials and trusted authorities for registries. They are secret or private, and must never be logged. */
export type RegistryAccess = Readonly<{
  /** The content of a `.dockerconfigjson`, for instance a cluster's pull secret. */
  pullSecret?: string;
  /** PEM certificates of authorities that are trusted in addition to the system's. */
  authorities?: string;
  /** PEM certificates of authorities that are trusted only for one registry; the key is its `host` or `host:port`. */
  authoritiesOf?: Readonly<Record<string, string>>;
  /**
   * Registries as `host:port`, `host` (every port) or `*.domain`. Their certificates are not verified. They may use plain
   * HTTP, but get no credentials then.
   */
  insecureHosts?: readonly string[];
}>;

/** One blob of an image; `size` is its stored size in bytes. */
export type ImageLayer = Readonly<{ digest: string; size: number; mediaType: string }>;

/** One image for one platform, as described by its manifest and its configuration. */
export type RegistryImage = Readonly<{
  /** The digest of this platform's manifest. */
  digest: string;
  /** The digest of the list of manifests if the reference names one; otherwise equal to `digest`. */
  listDigest: string;
  architecture: string;
  os: string;
  labels: Readonly<Record<string, string>>;
  layers: readonly ImageLayer[];
  /** Bytes to pull: the layers, the configuration and the manifest. */
  size: number;
}>;

export type ImageChoice = Readonly<{
  /** The architecture to choose, by default `amd64`; ignored if the image has only one platform. */
  architecture?: string;
}>;

/**
 * Container registries with the distribution API (version 2). An image is given by its full name, `host[:port]/path` with
 * `:tag` or `@digest`. Missing content is undefined; any other failure is a `RegistryError`.
 */
export type Registry = Readonly<{
  /** Returns the digest that the registry currently has for the reference. */
  digest(image: string, access?: RegistryAccess): Promise<string | undefined>;
  /** Returns the image, with its labels and the sizes of its layers. */
  image(image: string, access?: RegistryAccess, choice?: ImageChoice): Promise<RegistryImage | undefined>;
  /**
   * Returns files of the image as text, by path without leading slash. Missing files are left out; for a missing image the
   * result is empty. If several layers have a file, the topmost one counts.
   */
  files(
    image: string,
    paths: readonly string[],
    access?: RegistryAccess,
    choice?: ImageChoice,
  ): Promise<ReadonlyMap<string, string>>;
  /** The certificates that registries have presented so far, by `host[:port]`; absent if the adapter records none. */
  certificates?: ReadonlyMap<string, Validity>;
}>;

type RegistryErrorCode =
  /** The registry rejects these credentials; some registries also report this for missing content. */
  | "Unauthorized"
  | "TooManyRequests"
  | "Timeout"
  /** The caller's batch has failed or timed out, so the request was aborted; the registry may work. */
  | "Aborted"
  | "Unavailable"
  /** The registry's certificate is not trusted. */
  | "Untrusted"
  /** The response is invalid: another digest, not JSON, or too large. */
  | "InvalidResponse"
  /** The registry rejects the request with a status that no other code covers. */
  | "UnexpectedStatus"
  | "InvalidReference"
  | "InvalidPullSecret";

/** A failed registry request. The message names host and image, and never contains a credential. */
export class RegistryError extends PortError {
  override readonly name = "RegistryError";
  readonly code: RegistryErrorCode;

  constructor(code: RegistryErrorCode, message: string, options?: PortErrorOptions) {
    super(message, options);
    this.code = code;
  }

  get isRetryable(): boolean {
    return ["TooManyRequests", "Timeout", "Aborted", "Unavailable"].includes(this.code);
  }
}

/** Reports whether a registry request failed because of missing credentials or trust. */
export function isAccessProblem(error: unknown): boolean {
  return error instanceof RegistryError && ["Unauthorized", "Untrusted"].includes(error.code);
}

/** Returns the result of another caller's request. If that caller's batch aborted it, calls `again` instead. */
export function joined<Result>(request: Promise<Result>, again: () => Promise<Result>): Promise<Result> {
  return request.catch((error) => {
    if (error instanceof RegistryError && error.code === "Aborted") return again();
    throw error;
  });
}
