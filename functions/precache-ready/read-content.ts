import { type KubernetesObject, namespacedName, timestamp } from "#shared/domain/kubernetes/object.ts";
import type { PrecachingSpec } from "#shared/domain/precache-model/precaching-spec.ts";
import type { imageRoutes } from "#shared/domain/ready/locations.ts";
import { type ImageRecords, isTimeToAskAgain } from "#shared/domain/ready/record/image-record.ts";
import {
  type Content,
  maxImages,
  type StoredReadiness,
} from "#shared/domain/ready/record/readiness-report.ts";
import type { ContentProblem } from "#shared/domain/ready/record/verdict.ts";
import { mergeWanted, versionsOf } from "#shared/domain/ready/wanted-images.ts";
import { type Expansion, expandSpec } from "#shared/registry/ready/expand-images.ts";

/** An upgrade whose images must be ready. */
export type RequiredUpgrade = Readonly<{
  cgu: KubernetesObject;
  spec: PrecachingSpec;
  revision: string;
  /** The architectures of the upgrade's clusters, sorted. */
  architectures: readonly string[];
  /** An image whose last check was before this time is checked again, even if it was ready. */
  since: Date;
}>;

export type RouteOf = ReturnType<typeof imageRoutes>;

const isOf = (
  { revision, architectures }: Pick<RequiredUpgrade, "revision" | "architectures">,
  stored: Content,
): boolean => stored.revision === revision && stored.architectures.join() === architectures.join();

/** Returns the fields of a report that describe the images of an upgrade, without the fields about their readiness. */
export function contentOf({ revision, architectures, version, images, problems, readAt }: Content): Content {
  return { revision, architectures, version, images, problems, readAt };
}

/** Returns the stored report of an upgrade; undefined if its revision or architectures are different. */
export function presentReport(
  upgrade: RequiredUpgrade,
  stored: ReadonlyMap<string, StoredReadiness>,
): StoredReadiness | undefined {
  const own = stored.get(namespacedName(upgrade.cgu.metadata));
  return own && isOf(upgrade, own) ? own : undefined;
}

/** Returns an upgrade's content from the report of this or an equal upgrade; undefined if no report has it. */
export function knownContent(
  upgrade: RequiredUpgrade,
  stored: ReadonlyMap<string, StoredReadiness>,
  now: Date,
): Content | undefined {
  const isKnown = (one: StoredReadiness) =>
    isOf(upgrade, one) &&
    one.readAt !== undefined &&
    (one.problems.length === 0 || !isTimeToAskAgain(one.readAt, now));
  const own = presentReport(upgrade, stored);
  const found = own && isKnown(own) ? own : [...stored.values()].find(isKnown);
  return found && contentOf(found);
}

/** Reads the images of an upgrade from its release and its catalogs. */
export async function readContent(
  { spec, revision, architectures }: RequiredUpgrade,
  reading: Omit<Expansion, "architecture" | "architectures">,
  now: Date,
): Promise<Content> {
  const [architecture = "amd64"] = architectures;
  const { images, issues } = await expandSpec(spec, { ...reading, architecture, architectures });
  const wanted = mergeWanted(images).map(({ image }) => image);
  const unreadable = wanted.flatMap((image): ContentProblem[] => {
    const route = reading.routeOf(image);
    return "problem" in route ? [{ text: `${image}: ${route.problem}`, isMissing: true }] : [];
  });
  const readable = wanted.filter((image) => !("problem" in reading.routeOf(image)));
  const tooMany: ContentProblem[] =
    readable.length > maxImages
      ? [{ text: `only the first ${maxImages} of ${readable.length} images are checked`, isMissing: false }]
      : [];
  const ofSources = issues.map(({ code, object, message }) => ({
    text: `${object.name}: ${message}`.replace(/\.$/, ""),
    isMissing: code === "CatalogEntryMissing" || code === "ReleaseOfOtherArchitecture",
  }));
  return {
    revision,
    architectures,
    version: versionsOf(images.map(({ origin }) => origin))[0],
    images: readable.slice(0, maxImages),
    problems: [...ofSources, ...unreadable, ...tooMany],
    readAt: timestamp(now),
  };
}

/** Reports whether the tag of a release or catalog now names another image, so that images must be read again. */
export function isOutdated({ spec }: RequiredUpgrade, before: ImageRecords, after: ImageRecords): boolean {
  return [spec.platformImage, ...spec.operatorsIndexes].some((image) => {
    const [old, present] = [before.get(image)?.digest, after.get(image)?.digest];
    return old !== undefined && present !== undefined && old !== present;
  });
}
