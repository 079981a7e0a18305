import { fieldsOf, isRecord, listOf, ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isVersion, versionInTag } from "../openshift/releases/release.ts";
import type { SelectedPackage } from "./catalog-selection.ts";

/** Why an image is needed: by a release, by an operator of a catalog, or because it is named directly. */
export type Origin =
  | Readonly<{ kind: "release"; release: string; version: string | undefined }>
  /** `packages` are all needed packages of the catalog; if empty, every package is needed. */
  | Readonly<{ kind: "catalog"; index: string; packages: readonly SelectedPackage[] }>
  | Readonly<{ kind: "image" }>;

/** An image that nodes will pull, and all reasons for it. */
export type WantedImage = Readonly<{ image: string; origins: readonly Origin[] }>;

/** Reports whether an origin is a release of which only the version is known. */
export function isUnknownVersion(origin: Origin): boolean {
  return origin.kind === "release" && isVersion(origin.release);
}

/** Returns the known versions of the releases that need an image. */
export function versionsOf(origins: readonly Origin[]): readonly string[] {
  return origins.flatMap((origin) => {
    if (origin.kind !== "release") return [];
    const { release, version = isVersion(release) ? release : versionInTag(release) } = origin;
    return version ?? [];
  });
}

/** Returns each image once with all its origins, in the order of first occurrence. */
export function mergeWanted(
  images: Iterable<Readonly<{ image: string; origin: Origin }>>,
): readonly WantedImage[] {
  const byImage = Map.groupBy(images, ({ image }) => image);
  return [...byImage].map(([image, some]) => ({ image, origins: some.map(({ origin }) => origin) }));
}

/** Keys are the names of architectures on nodes; values are their names in tags of release images. */
const tagNames: Readonly<Record<string, string>> = { amd64: "x86_64", arm64: "aarch64" };

/** Returns a version's release image in OpenShift's own repository, with a tag instead of a digest. */
export function taggedRelease(version: string, architectures: readonly string[]): string {
  const [only = "amd64"] = architectures;
  const suffix = architectures.length > 1 ? "multi" : (ownValue(tagNames, only) ?? only);
  return `quay.io/openshift-release-dev/ocp-release:${version}-${suffix}`;
}

/** Returns the release image of a version that a ClusterVersion lists; undefined if it does not list the version. */
export function listedRelease(
  clusterVersion: KubernetesObject | undefined,
  version: string,
): string | undefined {
  const status = fieldsOf(clusterVersion?.status);
  const releases = [
    status.desired,
    ...listOf(status.availableUpdates),
    ...listOf(status.conditionalUpdates).map((update) => fieldsOf(update).release),
    ...listOf(status.history),
  ];
  const found = releases.find(
    (one) => isRecord(one) && one.version === version && typeof one.image === "string",
  );
  return isRecord(found) && typeof found.image === "string" && found.image !== "" ? found.image : undefined;
}
