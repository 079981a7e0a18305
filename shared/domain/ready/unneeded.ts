import { isNested } from "../images/scope.ts";
import { byCodeUnit } from "../kubernetes/json/values.ts";

/** A manifest in a registry. All sizes are in bytes. */
export type StoredManifest = Readonly<{
  size: number;
  /** The configuration and the layers of an image; empty for a list of manifests. */
  blobs: readonly Readonly<{ digest: string; size: number }>[];
  /** The digests that a list of manifests contains; empty for an image. */
  children: readonly string[];
  /** The digest in the manifest's field `subject`: the image that this manifest is attached to. */
  subject?: string;
}>;

/** A repository: the digest of each tag, and by digest all manifests that tags and lists name. */
export type StoredRepository = Readonly<{
  name: string;
  tags: ReadonlyMap<string, string>;
  manifests: ReadonlyMap<string, StoredManifest>;
}>;

/** An image that nothing needs. `bytes` is the size of its manifest and of the blobs that no remaining image has. */
export type UnneededImage = Readonly<{
  repository: string;
  digest: string;
  tags: readonly string[];
  bytes: number;
}>;

export type Unneeded = Readonly<{
  images: readonly UnneededImage[];
  /** Bytes of all these images; each blob counts once. */
  bytes: number;
  /** Repositories in which no image may be judged, with the bytes of their blobs. */
  notJudged: readonly Readonly<{ repository: string; bytes: number }>[];
}>;

/** What is needed, and which images may be judged unneeded. */
export type Judging = Readonly<{
  digests: ReadonlySet<string>;
  tags: ReadonlySet<string>;
  /** The digests of releases and their components. */
  releaseContent: ReadonlySet<string>;
  /** Repositories, or paths above them, all of whose users are known. */
  own: readonly string[];
}>;

/** Returns the digest in a tag such as `sha256-….sig`, by which a signature or attestation is attached; else undefined. */
function subjectOf(tag: string): string | undefined {
  const [, algorithm, hex] = /^(sha256|sha384|sha512)-([0-9a-f]{64,128})(?:\.[\w.-]+)?$/.exec(tag) ?? [];
  return algorithm === undefined ? undefined : `${algorithm}:${hex}`;
}

type Content = Pick<StoredRepository, "tags" | "manifests">;

/** Returns pairs of an image's digest and the digest of an image attached to it. */
function attachments({ tags, manifests }: Content): readonly (readonly [subject: string, digest: string])[] {
  const named = [...tags].map(([tag, digest]) => [subjectOf(tag), digest] as const);
  const own = [...manifests].map(([digest, { subject }]) => [subject, digest] as const);
  return [...named, ...own].flatMap(([subject, digest]) =>
    subject === undefined ? [] : [[subject, digest] as const],
  );
}

/** Returns by digest what is kept with it: lists and their images keep each other, an image keeps what is attached to it. */
function keptWith(repositories: readonly StoredRepository[]): ReadonlyMap<string, readonly string[]> {
  const pairs = repositories.flatMap(({ tags, manifests }) => [
    ...[...manifests].flatMap(([digest, { children }]) =>
      children.flatMap((child) => [[digest, child] as const, [child, digest] as const]),
    ),
    ...attachments({ tags, manifests }),
  ]);
  return new Map(
    [...Map.groupBy(pairs, ([from]) => from)].map(([from, all]) => [from, all.map(([, to]) => to)]),
  );
}

/** Returns the needed digests, including all that is kept with them. */
export function neededDigests(
  repositories: readonly StoredRepository[],
  { digests, tags }: Pick<Judging, "digests" | "tags">,
): ReadonlySet<string> {
  const next = keptWith(repositories);
  const tagged = repositories.flatMap((one) =>
    [...one.tags].flatMap(([tag, digest]) => (tags.has(tag) ? [digest] : [])),
  );
  const open = [...digests, ...tagged];
  const needed = new Set<string>();
  for (let digest = open.pop(); digest !== undefined; digest = open.pop()) {
    if (needed.has(digest)) continue;
    needed.add(digest);
    open.push(...(next.get(digest) ?? []));
  }
  return needed;
}

/** Returns the sizes of the blobs of manifests, by digest. */
function blobsOf(manifests: Iterable<StoredManifest>): ReadonlyMap<string, number> {
  return new Map([...manifests].flatMap(({ blobs }) => blobs.map(({ digest, size }) => [digest, size])));
}

const sizeOf = (blobs: ReadonlyMap<string, number>): number =>
  blobs.values().reduce((sum, size) => sum + size, 0);

/** Returns the digests that may be judged: all in repositories of `own`, else release content with its attachments. */
function judgedIn(repository: StoredRepository, { releaseContent, own }: Judging): ReadonlySet<string> {
  const { name, manifests } = repository;
  if (own.some((scope) => isNested(name, scope))) return new Set(manifests.keys());
  const judged = new Set([...manifests.keys()].filter((digest) => releaseContent.has(digest)));
  // Items added to a set during its iteration are visited too.
  for (const digest of judged) for (const child of manifests.get(digest)?.children ?? []) judged.add(child);
  for (const [subject, digest] of attachments(repository)) if (judged.has(subject)) judged.add(digest);
  return judged;
}

/**
 * Returns the images that nothing needs, among those that may be judged: releases and their components, images of `own`, and
 * what is attached to them. An image that stays in one repository, needed or not judged, stays in all.
 */
export function findUnneeded(repositories: readonly StoredRepository[], judging: Judging): Unneeded {
  const all = repositories.map((repository) => ({ ...repository, listed: judgedIn(repository, judging) }));
  const others = all.flatMap(({ manifests, listed }) =>
    [...manifests.keys()].filter((one) => !listed.has(one)),
  );
  const needed = neededDigests(repositories, {
    digests: new Set([...judging.digests, ...others]),
    tags: judging.tags,
  });
  const judged = all.map((one) => ({
    ...one,
    isJudged: one.listed.size > 0,
    listed: new Set([...one.listed].filter((digest) => !needed.has(digest))),
  }));
  const staying = judged.flatMap(({ manifests, listed }) =>
    [...manifests].flatMap(([digest, manifest]) => (listed.has(digest) ? [] : [manifest])),
  );
  const kept = blobsOf(staying);
  const freed = new Map<string, number>();
  const images = judged.flatMap(({ name: repository, tags, manifests, listed }) =>
    [...listed].flatMap((digest): readonly UnneededImage[] => {
      const manifest = manifests.get(digest);
      if (!manifest) return [];
      const own = new Map([...blobsOf([manifest])].filter(([blob]) => !kept.has(blob)));
      own.set(digest, manifest.size);
      for (const [blob, size] of own) freed.set(blob, size);
      const names = [...tags].flatMap(([tag, one]) => (one === digest ? [tag] : []));
      return [{ repository, digest, tags: names.sort(byCodeUnit), bytes: sizeOf(own) }];
    }),
  );
  const notJudged = judged
    .filter(({ isJudged }) => !isJudged)
    .map(({ name, manifests }) => ({ repository: name, bytes: sizeOf(blobsOf(manifests.values())) }));
  return { images, bytes: sizeOf(freed), notJudged };
}

/**
 * Returns a DeleteImageList for `oc-mirror delete --delete-yaml-file FILE docker://DESTINATION`. oc-mirror accepts releases
 * and their components only at its own paths. Source: openshift/oc-mirror, internal/pkg/delete/delete_images.go:138 and
 * internal/pkg/api/v2alpha1/type_image.go, 2026-08 (855b64a3).
 */
export function deleteImageList(images: readonly UnneededImage[], destination: string): object {
  const types = new Map([
    [`${destination}/openshift/release-images`, "ocpRelease"],
    [`${destination}/openshift/release`, "ocpReleaseContent"],
  ]);
  const items = images.map(({ repository, digest }) => ({
    imageName: `${repository}@${digest}`,
    imageReference: `docker://${repository}@${digest}`,
    type: types.get(repository) ?? "generic",
  }));
  const byReference = items.toSorted((a, b) => byCodeUnit(a.imageReference, b.imageReference));
  return { apiVersion: "mirror.openshift.io/v2alpha1", kind: "DeleteImageList", items: byReference };
}
