import type { ImageChoice, ImageLayer, RegistryAccess } from "./registry.ts";

/** One entry of a list of manifests. */
export type PlatformManifest = Readonly<{ digest: string; architecture: string; os: string }>;

/** What a reference names in one repository. */
export type RegistryManifest = Readonly<{
  digest: string;
  /** Bytes of the manifest itself. */
  size: number;
}> &
  (
    | Readonly<{ kind: "image"; config: ImageLayer; layers: readonly ImageLayer[] }>
    | Readonly<{ kind: "list"; platforms: readonly PlatformManifest[] }>
  );

/** Receives one file of an image; `path` has no leading slash. */
export type VisitFile = (path: string, text: string) => void;

/**
 * What registries hold, part by part: every request is about the one repository that the reference names. What a registry
 * reports as missing is undefined or false; every other failure is a `RegistryError`.
 */
export type RegistryContents = Readonly<{
  manifest(image: string, access?: RegistryAccess): Promise<RegistryManifest | undefined>;
  /** Reports whether the repository of `image` has this blob; none of its content is read. */
  hasBlob(image: string, digest: string, access?: RegistryAccess): Promise<boolean>;
  /**
   * Reports whether a signature of this manifest is in the repository of `image`: its tag `sha256-….sig`, or an artifact
   * that the referrers API lists. Nothing verifies it.
   */
  hasSignature(image: string, digest: string, access?: RegistryAccess): Promise<boolean>;
  /**
   * Reads the files below a folder of the image, those of the topmost layer first; files that a layer above replaces or
   * removes are left out. Returns whether there is such an image.
   */
  visitFolder(
    image: string,
    folder: string,
    visit: VisitFile,
    access?: RegistryAccess,
    choice?: ImageChoice,
  ): Promise<boolean>;
}>;
