import type { SelectedPackage } from "./catalog.ts";
import { isVersion } from "./release-versions.ts";

/** Why an image is needed: a release's component, an operator of a catalog, or by its own name. */
export type Origin =
  | Readonly<{ kind: "release"; release: string; version: string | undefined }>
  /** `packages` are all that is needed of the catalog; empty: every package. */
  | Readonly<{ kind: "catalog"; index: string; packages: readonly SelectedPackage[] }>
  | Readonly<{ kind: "image" }>;

/** An image that nodes are about to pull. */
export type WantedImage = Readonly<{ image: string; origins: readonly Origin[] }>;

/** Reports whether this is a release named by a version whose digest is not known. */
export function isUnknownVersion(origin: Origin): boolean {
  return origin.kind === "release" && isVersion(origin.release);
}

/** Merges images that several sources need, in the order of their first mention. */
export function mergeWanted(
  images: Iterable<Readonly<{ image: string; origin: Origin }>>,
): readonly WantedImage[] {
  const byImage = Map.groupBy(images, ({ image }) => image);
  return [...byImage].map(([image, some]) => ({ image, origins: some.map(({ origin }) => origin) }));
}
