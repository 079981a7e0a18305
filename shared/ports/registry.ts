/** As whom, and trusting whom, a registry is asked. Both are secrets or come from people: never logged. */
export type RegistryAccess = Readonly<{
  /** The content of a `.dockerconfigjson`, for instance a cluster's pull secret. */
  pullSecret?: string;
  /** Certificates of authorities, PEM, that count beside the system's own. */
  authorities?: string;
  /** The same for single registries, by `host` or `host:port`. */
  authoritiesOf?: Readonly<Record<string, string>>;
  /**
   * Registries whose certificate need not be vouched for, and that may speak plain HTTP: `host:port`, `host` with
   * every port, `*.domain`.
   */
  insecureHosts?: readonly string[];
}>;

/** One blob that an image is made of; `size` in bytes, as it is stored. */
export type ImageLayer = Readonly<{ digest: string; size: number; mediaType: string }>;

/** One image of one platform, as its manifest and its configuration tell. */
export type RegistryImage = Readonly<{
  /** Of this platform's manifest. */
  digest: string;
  /** Of what the reference named: the list of all platforms' manifests, where there is one. */
  listDigest: string;
  architecture: string;
  os: string;
  labels: Readonly<Record<string, string>>;
  layers: readonly ImageLayer[];
  /** Bytes to pull: the layers, the configuration and the manifest. */
  size: number;
}>;

export type ImageChoice = Readonly<{
  /** Which of several platforms; `amd64` if nothing is said. The only one there is counts whatever it is. */
  architecture?: string;
}>;

/**
 * Container registries, by the distribution API (version 2). An image is named in full, `host[:port]/path` with
 * `:tag` or `@digest`. What a registry says is not there is undefined; every other failure is a `RegistryError`.
 */
export type Registry = Readonly<{
  /** The digest that the reference stands for now. */
  digest(image: string, access?: RegistryAccess): Promise<string | undefined>;
  /** All tags of `host/path`, in the registry's order. */
  tags(repository: string, access?: RegistryAccess): Promise<readonly string[] | undefined>;
  /** The image, with its labels and the sizes of its layers. */
  image(image: string, access?: RegistryAccess, choice?: ImageChoice): Promise<RegistryImage | undefined>;
  /**
   * Files of the image by their paths (no leading slash), as text; those that it does not have are left out, and
   * so is everything when the image is not there. The topmost layer that has a file counts.
   */
  files(
    image: string,
    paths: readonly string[],
    access?: RegistryAccess,
    choice?: ImageChoice,
  ): Promise<ReadonlyMap<string, string>>;
}>;

export type RegistryErrorCode =
  /** The registry lets nobody in with these credentials; some say so of what does not exist. */
  | "Unauthorized"
  | "TooManyRequests"
  | "Timeout"
  | "Unavailable"
  /** Its certificate is not vouched for. */
  | "Untrusted"
  /** It answered what no registry should: another digest, no JSON, more than it may. */
  | "InvalidAnswer"
  | "InvalidReference"
  | "InvalidPullSecret";

/** A registry that did not answer what was asked. The message names host and image, and never a credential. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  readonly code: RegistryErrorCode;
  /** Seconds that the registry asked to wait (Retry-After). */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: RegistryErrorCode,
    message: string,
    options?: ErrorOptions & { retryAfterSeconds?: number },
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}

/** True for trouble of a registry that time heals. */
export function isRetryableRegistryError(error: unknown): boolean {
  return error instanceof RegistryError && ["TooManyRequests", "Timeout", "Unavailable"].includes(error.code);
}
