import { isNested } from "../images/scope.ts";
import { byCodeUnit, ownValue } from "../kubernetes/json/values.ts";

/** An image or a list of images (`children`) in a repository. Sizes are in bytes; `size` is the manifest's. */
export type StoredImage = Readonly<{
  repository: string;
  digest: string;
  tags: readonly string[];
  size: number;
  blobs: readonly Readonly<{ digest: string; size: number; mediaType?: string }>[];
  children: readonly string[];
  /** The digest of the image that this image is attached to. */
  subject: string | undefined;
}>;

export type Unneeded = Readonly<{
  /** Images that nothing needs. `bytes` counts the manifest, and the blobs that no remaining image has. */
  images: readonly (Pick<StoredImage, "repository" | "digest" | "tags"> & Readonly<{ bytes: number }>)[];
  /** The total bytes of `images`; a blob that several images have counts once. */
  bytes: number;
  /** Repositories in which no image may be judged, with the bytes of their blobs. */
  notJudged: readonly Readonly<{ repository: string; bytes: number }>[];
}>;

/** What is needed, and which images may be judged unneeded. */
export type Judging = Readonly<{
  digests: ReadonlySet<string>;
  tags: ReadonlySet<string>;
  /** The digests of releases and catalogs and of their images. They may be judged in every repository. */
  content: ReadonlySet<string>;
  /** Repositories, or paths above them, in which all images may be judged: only the given objects use them. */
  own: readonly string[];
}>;

type Link = readonly [from: string, to: string];

function linksOf(images: readonly StoredImage[]): readonly Link[] {
  return images.flatMap(({ digest, tags, children, subject = "" }) => {
    // Signatures and attestations name their image in tags such as sha256-….sig. No other tag becomes a digest.
    const subjects = [subject, ...tags.map((tag) => tag.replace(/^(sha\d{3})-([0-9a-f]+).*$/, "$1:$2"))];
    return [...children.map((child): Link => [digest, child]), ...subjects.map((one): Link => [one, digest])];
  });
}

function reached(first: Iterable<string>, links: readonly Link[]): ReadonlySet<string> {
  const next = Map.groupBy(links, ([from]) => from);
  const found = new Set(first);
  // The loop also visits the digests that it adds to the set.
  for (const digest of found) for (const [, to] of next.get(digest) ?? []) found.add(to);
  return found;
}

/** Returns the needed digests, and the digests that stay with them: lists, a list's other images, and attachments. */
export function neededDigests(
  images: readonly StoredImage[],
  { digests, tags }: Pick<Judging, "digests" | "tags">,
): ReadonlySet<string> {
  const tagged = images.filter((one) => one.tags.some((tag) => tags.has(tag)));
  const up = images.flatMap(({ digest, children }) => children.map((child): Link => [child, digest]));
  return reached([...digests, ...tagged.map(({ digest }) => digest)], [...linksOf(images), ...up]);
}

const blobsOf = (images: readonly StoredImage[]): ReadonlyMap<string, number> =>
  new Map(images.flatMap(({ blobs }) => blobs.map(({ digest, size }) => [digest, size])));

const sizeOf = (blobs: ReadonlyMap<string, number>): number =>
  blobs.values().reduce((sum, size) => sum + size, 0);

/** Returns the images that nothing needs. An image that must stay in one repository stays in all repositories. */
export function findUnneeded(
  stored: readonly StoredImage[],
  { digests, tags, content, own }: Judging,
): Unneeded {
  const judged = reached(content, linksOf(stored));
  const isJudged = ({ repository, digest }: StoredImage) =>
    judged.has(digest) || own.some((scope) => isNested(repository, scope));
  const others = stored.filter((one) => !isJudged(one)).map(({ digest }) => digest);
  const needed = neededDigests(stored, { digests: new Set([...digests, ...others]), tags });
  const kept = blobsOf(stored.filter(({ digest }) => needed.has(digest)));
  const freed = new Map<string, number>();
  const images = stored.flatMap((image): Unneeded["images"] => {
    const { repository, digest } = image;
    if (needed.has(digest)) return [];
    const own = new Map([...blobsOf([image])].filter(([blob]) => !kept.has(blob))).set(digest, image.size);
    for (const [blob, size] of own) freed.set(blob, size);
    return [{ repository, digest, tags: image.tags.toSorted(byCodeUnit), bytes: sizeOf(own) }];
  });
  const notJudged = [...Map.groupBy(stored, ({ repository }) => repository)]
    .filter(([, all]) => !all.some(isJudged))
    .map(([repository, all]) => ({ repository, bytes: sizeOf(blobsOf(all)) }));
  return { images, bytes: sizeOf(freed), notJudged };
}

/**
 * Returns a DeleteImageList for `oc-mirror delete --delete-yaml-file FILE docker://DESTINATION`. oc-mirror deletes
 * releases and components only at its own paths, and stops at the first failure, such as an image whose list is gone.
 * Source: openshift/oc-mirror, internal/pkg/delete/delete_images.go:138, batch/concurrent_chan_worker.go:211, 2026-08
 * (855b64a3).
 */
export function deleteImageList(images: Unneeded["images"], destination: string): object {
  const types = { "openshift/release-images": "ocpRelease", "openshift/release": "ocpReleaseContent" };
  const typeOf = (repository: string) => ownValue(types, repository.slice(`${destination}/`.length));
  const items = images.map(({ repository, digest, tags }) => ({
    imageName: `${repository}@${digest}`,
    imageReference: `docker://${repository}@${digest}`,
    type: (tags.length > 0 && typeOf(repository)) || "generic",
  }));
  return { apiVersion: "mirror.openshift.io/v2alpha1", kind: "DeleteImageList", items };
}
