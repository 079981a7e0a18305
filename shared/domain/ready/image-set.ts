import { byCodeUnit } from "../kubernetes/json/values.ts";
import { compareReleases, parseRelease, type Release, versionInTag } from "../openshift/releases/release.ts";
import type { SelectedPackage } from "./catalog-selection.ts";
import type { JudgedImage, ReadyStatus } from "./judge.ts";
import type { Origin, WantedImage } from "./wanted-images.ts";

// The configuration that oc-mirror v2 accepts. Source: openshift/oc-mirror, internal/pkg/config and
// internal/pkg/release, 2026-08 (855b64a3).

const mirrorable: ReadonlySet<ReadyStatus> = new Set(["source-only", "unsigned", "incomplete", "missing"]);

/** Returns the images that mirrors lack, sorted. */
export function imagesToMirror(images: readonly JudgedImage[]): readonly string[] {
  return images.flatMap(({ image, status }) => (mirrorable.has(status) ? [image] : [])).sort(byCodeUnit);
}

type ReleaseOrigin = Extract<Origin, { kind: "release" }>;
type CatalogOrigin = Extract<Origin, { kind: "catalog" }>;

const unique = <Value>(values: readonly Value[]): readonly Value[] => [...new Set(values)];
const byVersion = new Intl.Collator("en", { numeric: true }).compare;

function channelOf(version: string): string {
  const minor = version.split(".", 2).join(".");
  return `${version.includes("-") ? "candidate" : "stable"}-${minor}`;
}

const versionOf = ({ release, version }: ReleaseOrigin): string | undefined =>
  version ?? versionInTag(release);

/** Returns each channel once, because oc-mirror refuses a configuration that has a channel twice. */
function channelsOf(versions: readonly string[]) {
  const byChannel = Map.groupBy(versions.toSorted(byVersion), channelOf);
  return [...byChannel].map(([name, [minVersion = "", ...others]]) => {
    const maxVersion = others.at(-1) ?? minVersion;
    return { name, minVersion, maxVersion, ...(maxVersion === minVersion ? {} : { shortestPath: true }) };
  });
}

/** The first release whose oc-mirror knows `platforms`. Earlier versions of oc-mirror refuse this field. */
const platformsSince: Release = { major: 4, minor: 23 };

const knowsPlatforms = (version: string): boolean => {
  const release = parseRelease(version);
  return release !== undefined && compareReleases(platformsSince, release) <= 0;
};

function payloadsOf(versions: readonly string[], architectures: readonly string[]) {
  if (architectures.length < 2) return { architectures };
  if (!versions.every(knowsPlatforms)) return { architectures: ["multi"] };
  return { platforms: architectures.map((architecture) => ({ os: "linux", architecture })) };
}

/** `others` are releases that do not fit in: oc-mirror accepts either channels or a single release image. */
function platformOf(releases: readonly ReleaseOrigin[], architectures: readonly string[]) {
  const versions = unique(releases.flatMap((one) => versionOf(one) ?? []));
  const unnamed = unique(
    releases.flatMap((one) => (versionOf(one) === undefined ? [one.release] : [])),
  ).toSorted(byCodeUnit);
  if (versions.length > 0) {
    const platform = { channels: channelsOf(versions), ...payloadsOf(versions, architectures) };
    return { platform, others: unnamed };
  }
  const [release, ...others] = unnamed;
  return { platform: release === undefined ? undefined : { release }, others };
}

function packageOf(name: string, selected: readonly SelectedPackage[]) {
  const channels = unique(selected.flatMap(({ channel }) => channel ?? [])).toSorted(byCodeUnit);
  if (channels.length === 0 || selected.some(({ channel }) => channel === undefined)) return { name };
  const isDefaultThere = selected.some(({ channel, defaultChannel = channel }) => channel === defaultChannel);
  return {
    name,
    channels: channels.map((channel) => ({ name: channel })),
    // oc-mirror refuses a package without its default channel, unless `defaultChannel` sets another one.
    ...(isDefaultThere ? {} : { defaultChannel: channels[0] }),
  };
}

/** The list includes mirrored packages too, because oc-mirror drops all packages that are not listed. */
function operatorsOf(origins: readonly CatalogOrigin[]) {
  return [...Map.groupBy(origins, ({ index }) => index)].map(([catalog, some]) => {
    const isWhole = some.some(({ packages }) => packages.length === 0);
    const byName = Map.groupBy(
      some.flatMap(({ packages }) => packages),
      ({ name }) => name,
    );
    return {
      catalog,
      ...(isWhole ? {} : { packages: [...byName].map(([name, selected]) => packageOf(name, selected)) }),
    };
  });
}

/** Returns the ImageSetConfiguration with which oc-mirror v2 mirrors the missing images. */
export function imageSetOf(
  missing: readonly string[],
  wanted: readonly WantedImage[],
  architectures: readonly string[],
): object {
  const names = new Set(missing);
  const asked = wanted.filter(({ image }) => names.has(image));
  const origins = asked.flatMap((one) => one.origins);
  const releases = origins.filter((origin) => origin.kind === "release");
  const operators = operatorsOf(origins.filter((origin) => origin.kind === "catalog"));
  const { platform, others } = platformOf(releases, architectures);
  const byName = asked.filter((one) => one.origins.every(({ kind }) => kind === "image"));
  const additionalImages = unique([...others, ...byName.map(({ image }) => image)]);
  return {
    apiVersion: "mirror.openshift.io/v2alpha1",
    kind: "ImageSetConfiguration",
    mirror: {
      ...(platform ? { platform } : {}),
      ...(operators.length > 0 ? { operators } : {}),
      ...(additionalImages.length > 0
        ? { additionalImages: additionalImages.map((name) => ({ name })) }
        : {}),
    },
  };
}
