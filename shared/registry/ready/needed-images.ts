import pMap from "p-map";
import { releaseLabel } from "../../domain/hosted-clusters/cluster/release-images.ts";
import { splitReference, withoutVersion } from "../../domain/images/image-reference.ts";
import { compareReleases, parseRelease, versionInTag } from "../../domain/openshift/releases/release.ts";
import type { Needs } from "../../domain/ready/needs.ts";
import { configsLabel, databaseLabel } from "../../domain/ready/operator-images.ts";
import { type Judging, neededDigests, type StoredImage } from "../../domain/ready/unneeded.ts";
import { sentence } from "../../domain/text/redact.ts";
import { type Expanded, type Expansion, expandCatalog, expandRelease } from "./expand-images.ts";

const each = <Item>(items: Iterable<Item>, read: (item: Item) => Promise<void>) =>
  pMap(items, read, { concurrency: 4 });

type Content = Readonly<{ images: readonly string[]; version: string | undefined; isNeeded: boolean }>;

const byVersion = new Intl.Collator("en", { numeric: true }).compare;
const catalogRelease = (tag: string) => parseRelease(/^v(\d+\.\d+)$/.exec(tag)?.[1]);
const hasVersion = (tag: string) => (catalogRelease(tag) ?? versionInTag(`:${tag}`)) !== undefined;
const lastPart = (repository: string) => repository.slice(repository.lastIndexOf("/") + 1);
const digestOf = (image: string): readonly string[] => [splitReference(image).digest ?? []].flat();

/**
 * The needed images, and reasons as text. `kept`: why images are kept that no object names.
 * `unknown`: why every other image may be needed.
 */
export type NeededImages = Omit<Judging, "own"> & Readonly<Record<"kept" | "unknown", readonly string[]>>;

/**
 * Returns the images that a fleet needs: those that objects name, and those that needed releases and catalogs list.
 * An unreadable release is a reason in `unknown`. If a needed catalog is unreadable, all catalogs are kept; with
 * `hasOwn`, it is a reason in `unknown`, too.
 */
export async function neededImages(
  needs: Needs,
  stored: readonly StoredImage[],
  expansion: Expansion,
  hasOwn: boolean,
): Promise<NeededImages> {
  const { registry, access, routeOf } = expansion;
  const unknown = [...needs.unknown];
  const unread: string[] = [];
  const releases: Content[] = [];
  const catalogs: Content[] = [];
  const indexes = new Map<string, boolean>();
  const tags = new Set(needs.tags);
  const whole = needs.kept.flatMap(({ repository }) => {
    if (repository === undefined) return [];
    const route = routeOf(`${repository}:latest`);
    const places = "problem" in route ? [] : route.locations;
    return [repository, ...places.map(({ reference }) => withoutVersion(reference))].map(lastPart);
  });
  /** Compares only the ends of names, since mirrors add prefixes. */
  const isWhole = (repository: string) => whole.some((end) => lastPart(repository).endsWith(end));
  const inWhole = stored.filter(({ repository }) => isWhole(repository)).map(({ digest }) => digest);
  const named = neededDigests(stored, { digests: new Set([...needs.digests, ...inWhole]), tags });
  const digests = new Set(named);

  function imagesOf({ images, issues }: Expanded, problems: string[]): readonly string[] {
    const problem = issues.find(({ code }) => /^(?:Release|Catalog)Unreadable$/.test(code));
    if (problem) problems.push(sentence`${images[0]?.image ?? ""}: ${problem.message}`);
    return images.map(({ image }) => image);
  }

  async function readRelease(image: string, isNamed: boolean): Promise<void> {
    const found = await expandRelease(image, expansion);
    const origin = found.images[0]?.origin;
    const version = origin?.kind === "release" ? origin.version : undefined;
    const isKept = needs.kept.some(({ hasRelease }) => hasRelease?.(version));
    const isNeeded = isNamed || isKept || needs.versions.has(version ?? "");
    releases.push({ images: imagesOf(found, unknown), version, isNeeded });
  }

  /** No cluster can use a catalog of a release before `needs.oldest`. */
  function isOlder(tag: string): boolean {
    const release = catalogRelease(tag);
    return !!release && !!needs.oldest && compareReleases(release, needs.oldest) < 0;
  }

  async function readStored({ repository, digest, tags: own }: StoredImage): Promise<void> {
    const image = `${repository}@${digest}`;
    const { labels = {} } = (await registry.image(image, access)) ?? {};
    const isNamed = named.has(digest);
    if (releaseLabel in labels) await readRelease(image, isNamed);
    else if (configsLabel in labels || databaseLabel in labels)
      indexes.set(image, isNamed || needs.kept.some((one) => one.catalogs) || !own.every(isOlder));
  }

  const candidates = stored.filter((one) => named.has(one.digest) || one.tags.some(hasVersion));
  await each(candidates, readStored);
  const present = new Set(stored.map(({ digest }) => digest));
  const elsewhere = (images: ReadonlySet<string>) =>
    [...images].filter((image) => !digestOf(image).some((digest) => present.has(digest)));
  await each(elsewhere(needs.releases), (image) => readRelease(image, true));
  const areRead = hasOwn || [...indexes.values()].includes(false);
  for (const image of elsewhere(needs.catalogs)) indexes.set(image, true);
  if (areRead)
    await each(indexes, async ([index, isNeeded]) => {
      const found = await expandCatalog({ index, packages: [] }, expansion, true);
      catalogs.push({ images: imagesOf(found, isNeeded ? unread : []), version: undefined, isNeeded });
    });
  const used = releases.flatMap(({ version, isNeeded }) => (isNeeded && version ? [version] : []));
  const newest = used.sort(byVersion).at(-1) ?? "";
  for (const { images, version = "", isNeeded } of [...releases, ...catalogs])
    for (const { name, tag, digest } of images.map(splitReference)) {
      // The images of newer releases are kept, since an upgrade to them may not be planned yet.
      if (!isNeeded && byVersion(version, newest) <= 0 && !isWhole(name)) continue;
      if (digest !== undefined) digests.add(digest);
      else if (tag !== undefined) tags.add(tag);
    }
  for (const version of needs.versions.difference(new Set(releases.map((one) => one.version))))
    unknown.push(sentence`release ${version} is needed, and no image of it is known`);
  if (hasOwn) unknown.push(...unread);
  const judged = [...releases, ...(unread.length > 0 ? [] : catalogs)];
  const content = new Set(judged.flatMap(({ images }) => images.flatMap(digestOf)));
  const kept = new Set([...needs.kept.map(({ reason }) => reason), ...unread]);
  return { digests, tags, content, kept: [...kept], unknown };
}
