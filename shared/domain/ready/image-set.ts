import { byCodeUnit } from "../json/order.ts";
import type { JudgedImage, ReadyStatus } from "./judge.ts";
import type { Origin, WantedImage } from "./wanted-images.ts";

/** Statuses that mirroring an image again ends. */
const mirrorable: ReadonlySet<ReadyStatus> = new Set(["source-only", "unsigned", "incomplete", "missing"]);

/** Returns the images that a mirror should have and does not, sorted. */
export function imagesToMirror(images: readonly JudgedImage[]): readonly string[] {
  return images.flatMap(({ image, status }) => (mirrorable.has(status) ? [image] : [])).sort(byCodeUnit);
}

type Operator = Readonly<{ catalog: string; packages: Map<string, Set<string>> }>;

const minorOf = (version: string): string => version.split(".", 2).join(".");

function platformOf(
  releases: readonly Extract<Origin, { kind: "release" }>[],
  architectures: readonly string[],
) {
  const versions = [...new Set(releases.flatMap(({ version }) => version ?? []))].sort(byCodeUnit);
  const unnamed = [
    ...new Set(releases.flatMap(({ release, version }) => (version === undefined ? [release] : []))),
  ];
  return {
    ...(versions.length > 0
      ? {
          channels: versions.map((version) => ({
            name: `stable-${minorOf(version)}`,
            minVersion: version,
            maxVersion: version,
          })),
          architectures,
        }
      : {}),
    ...(unnamed[0] === undefined ? {} : { release: unnamed[0] }),
  };
}

function operatorsOf(origins: readonly Extract<Origin, { kind: "catalog" }>[]) {
  const byCatalog = new Map<string, Operator>();
  for (const { index, package: name, channel } of origins) {
    const operator = byCatalog.get(index) ?? { catalog: index, packages: new Map() };
    byCatalog.set(index, operator);
    if (name !== undefined && channel !== undefined)
      operator.packages.set(name, (operator.packages.get(name) ?? new Set()).add(channel));
  }
  return [...byCatalog.values()].map(({ catalog, packages }) => ({
    catalog,
    ...(packages.size > 0
      ? {
          packages: [...packages].map(([name, channels]) => ({
            name,
            channels: [...channels].sort(byCodeUnit).map((channel) => ({ name: channel })),
          })),
        }
      : {}),
  }));
}

/**
 * Returns an ImageSetConfiguration of oc-mirror v2 that mirrors these images: the whole release or operator of each, so
 * that they come to where the mirror objects of earlier runs expect them, and the others by name.
 */
export function imageSetOf(
  missing: readonly string[],
  wanted: readonly WantedImage[],
  architectures: readonly string[],
): object {
  const names = new Set(missing);
  const asked = wanted.filter(({ image }) => names.has(image));
  const origins = asked.flatMap((one) => one.origins);
  const releases = origins.filter((origin) => origin.kind === "release");
  const catalogs = origins.filter((origin) => origin.kind === "catalog");
  const byName = asked.filter((one) => one.origins.every(({ kind }) => kind === "image"));
  return {
    apiVersion: "mirror.openshift.io/v2alpha1",
    kind: "ImageSetConfiguration",
    mirror: {
      ...(releases.length > 0 ? { platform: platformOf(releases, architectures) } : {}),
      ...(catalogs.length > 0 ? { operators: operatorsOf(catalogs) } : {}),
      ...(byName.length > 0 ? { additionalImages: byName.map(({ image }) => ({ name: image })) } : {}),
    },
  };
}
