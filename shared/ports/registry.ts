import type { Validity } from "../domain/ready/access-ends.ts";
import type { ImageSignature } from "../domain/ready/verify-signatures.ts";
import { PortError, type PortErrorOptions } from "./port-error.ts";

/** One entry of a list of manifests: the manifest for one platform. */
export type PlatformManifest = Readonly<{ digest: string; architecture: string; os: string }>;

/** A manifest in a repository: the manifest of one image, or a list of manifests for several platforms. */
export type RegistryManifest = Readonly<{
  digest: string;
  /** The size of the manifest itself in bytes, without the blobs that it lists. */
  size: number;
  /** The digest of the image to which this manifest belongs, if this is a signature or another attachment. */
  subject?: string;
}> &
  (
    | Readonly<{ kind: "image"; config: ImageLayer; layers: readonly ImageLayer[] }>
    | Readonly<{ kind: "list"; platforms: readonly PlatformManifest[] }>
  );

/** `path` has no leading slash. */
type VisitFile = (path: string, text: string) => void;

/** Functions that read single parts of images. A missing part is no error. Any other failure is a `RegistryError`. */
export type RegistryContents = Readonly<{
  manifest(image: string, access?: RegistryAccess): Promise<RegistryManifest | undefined>;
  /** Reports whether the repository of `image` has this blob, without reading its content. */
  hasBlob(image: string, digest: string, access?: RegistryAccess): Promise<boolean>;
  /**
   * Returns the sigstore signatures of the manifest `digest` in the repository of `image`, without verifying them.
   * Source: containers/image v5.36.2, docker_image_src.go: nodes look only in the tag `sha256-….sig`.
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

/** Lists the repositories of registries, and the tags of repositories. */
export type RegistryCatalog = Readonly<{
  /** Returns the paths of all repositories that these credentials may see in the registry at `host[:port]`. */
  repositories(host: string, access?: RegistryAccess): Promise<readonly string[]>;
  /** Returns all tags of the repository `host/path`. Empty if the repository does not exist. */
  tags(repository: string, access?: RegistryAccess): Promise<readonly string[]>;
}>;

/** Credentials and trusted authorities for registries. They must never be logged. */
export type RegistryAccess = Readonly<{
  /** The content of a `.dockerconfigjson`, for instance a cluster's pull secret. */
  pullSecret?: string;
  /** PEM certificates of authorities that are trusted in addition to the system's. */
  authorities?: string;
  /** PEM certificates of authorities that are trusted only for one registry. The key is its `host` or `host:port`. */
  authoritiesOf?: Readonly<Record<string, string>>;
  /**
   * Registries whose certificates are not verified, as `host:port`, `host` (any port) or `*.domain`. They may use plain
   * HTTP, but get no credentials then.
   */
  insecureHosts?: readonly string[];
}>;

/** One blob of an image. `size` is its stored size in bytes. */
export type ImageLayer = Readonly<{ digest: string; size: number; mediaType: string }>;

/** One image for one platform, as described by its manifest and its configuration. */
export type RegistryImage = Readonly<{
  /** The digest of this platform's manifest. */
  digest: string;
  /** The digest of the list of manifests, if the reference names a list. Otherwise equal to `digest`. */
  listDigest: string;
  architecture: string;
  os: string;
  labels: Readonly<Record<string, string>>;
  layers: readonly ImageLayer[];
  /** Bytes to pull: the layers, the configuration and the manifest. */
  size: number;
}>;

export type ImageChoice = Readonly<{
  /** The architecture of the wanted image, by default `amd64`. Ignored if the image has only one platform. */
  architecture?: string;
}>;

/** Container registries. Image names are `host[:port]/path` with `:tag` or `@digest`. A missing image is no error. */
export type Registry = Readonly<{
  /** Returns the digest that the reference currently has in the registry. Undefined if the image is missing. */
  digest(image: string, access?: RegistryAccess): Promise<string | undefined>;
  /** Returns the image, with its labels and layers. Undefined if it is missing. */
  image(image: string, access?: RegistryAccess, choice?: ImageChoice): Promise<RegistryImage | undefined>;
  /** Returns files of the image as text, by path without leading slash. Empty if the image or all files are missing. */
  files(
    image: string,
    paths: readonly string[],
    access?: RegistryAccess,
    choice?: ImageChoice,
  ): Promise<ReadonlyMap<string, string>>;
  /** How long the certificates of registries are valid, by `host[:port]`. Absent if the adapter does not record it. */
  certificates?: ReadonlyMap<string, Validity>;
}>;

type RegistryErrorCode =
  /** The registry rejects these credentials. Some registries also say so if the content is missing. */
  | "Unauthorized"
  | "TooManyRequests"
  | "Timeout"
  /** The request was aborted because the caller's batch failed or timed out. The registry may work. */
  | "Aborted"
  | "Unavailable"
  | "Untrusted"
  /** The response has another digest, is not JSON, or is too large. */
  | "InvalidResponse"
  /** The registry responded with another unsuccessful status. */
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

/** Reports whether a registry request failed because of its credentials, or because the certificate is not trusted. */
export function isAccessProblem(error: unknown): boolean {
  return error instanceof RegistryError && ["Unauthorized", "Untrusted"].includes(error.code);
}

/** Returns the result of another caller's request, or the result of `again` if that caller aborted its request. */
export function joined<Result>(request: Promise<Result>, again: () => Promise<Result>): Promise<Result> {
  return request.catch((error) => {
    if (error instanceof RegistryError && error.code === "Aborted") return again();
    throw error;
  });
}
