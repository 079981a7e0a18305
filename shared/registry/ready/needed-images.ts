import pMap from "p-map";
import { releaseLabel } from "../../domain/hosted-clusters/cluster/release-images.ts";
import { splitReference } from "../../domain/images/image-reference.ts";
import { versionInTag } from "../../domain/openshift/releases/release.ts";
import { mayBePulledBySilent, type Needs } from "../../domain/ready/needs.ts";
import { configsLabel } from "../../domain/ready/operator-images.ts";
import { type Judging, neededDigests, type StoredRepository } from "../../domain/ready/unneeded.ts";
import { sentence } from "../../domain/text/redact.ts";
import { type Expanded, type Expansion, expandCatalog, expandRelease } from "./expand-images.ts";

const concurrency = 4;

/** A release in a registry: the digests of its image and of its components, and whether the fleet needs it. */
type StoredRelease = Readonly<{
  version: string | undefined;
  content: readonly string[];
  isNeeded: boolean;
}>;

const byVersion = new Intl.Collator("en", { numeric: true }).compare;

function digestOf(image: string): readonly string[] {
  const { digest } = splitReference(image);
  return digest === undefined ? [] : [digest];
}

/** The digests and tags that a fleet needs. `unknown` has the reasons why it may need any other image, too. */
export type NeededImages = Omit<Judging, "own"> & Readonly<{ unknown: readonly string[] }>;

function contentOf({ images }: Expanded): readonly string[] {
  return images.flatMap(({ image }) => digestOf(image));
}

/**
 * Returns the digests that a fleet needs: what its objects name, and the contents of releases and catalogs. Contents are
 * read from the registry that has them, or else where nodes look for them. `unknown` lists what could not be read.
 */
export async function neededImages(
  needs: Needs,
  repositories: readonly StoredRepository[],
  expansion: Expansion,
  hasOwn: boolean,
): Promise<NeededImages> {
  const { registry, access } = expansion;
  // By default clusters use catalogs with a tag such as `v4.20`, although no object names them.
  const defaults = repositories.flatMap(({ tags }) =>
    [...tags.keys()].filter((tag) => /^v\d+\.\d+$/.test(tag)),
  );
  const tags = new Set([...needs.tags, ...(hasOwn ? defaults : [])]);
  const named = neededDigests(repositories, { digests: needs.digests, tags });
  const unknown: string[] = [...needs.unknown];
  const digests = new Set(named);
  const releases: StoredRelease[] = [];

  async function readRelease(image: string, isNamed: boolean): Promise<void> {
    const found = await expandRelease(image, expansion);
    const problem = found.issues.find(({ code }) => code === "ReleaseUnreadable");
    if (problem) unknown.push(sentence`${image}: ${problem.message}`);
    const origin = found.images[0]?.origin;
    const version = origin?.kind === "release" ? origin.version : undefined;
    const isNeeded =
      isNamed ||
      (version !== undefined && needs.versions.has(version)) ||
      mayBePulledBySilent(needs, version);
    releases.push({ version, content: contentOf(found), isNeeded });
  }

  async function readCatalog(image: string): Promise<void> {
    const found = await expandCatalog({ index: image, packages: [] }, expansion, true);
    const problem = found.issues.find(({ code }) => code === "CatalogUnreadable");
    if (problem) unknown.push(sentence`${image}: ${problem.message}`);
    for (const digest of contentOf(found)) digests.add(digest);
  }

  /** Reads a stored image if its labels are those of a release or a needed catalog. */
  async function readLabelled([digest, image]: readonly [string, string]): Promise<void> {
    const { labels = {} } = (await registry.image(image, access)) ?? {};
    if (releaseLabel in labels) await readRelease(image, named.has(digest));
    else if (hasOwn && named.has(digest) && configsLabel in labels) await readCatalog(image);
  }

  const stored = new Map(
    repositories.flatMap(({ name, tags: own, manifests }) => {
      const tagged = [...own].flatMap(([tag, digest]) =>
        versionInTag(`:${tag}`) === undefined ? [] : [digest],
      );
      const some = [...tagged, ...[...manifests.keys()].filter((digest) => named.has(digest))];
      return some.map((digest) => [digest, `${name}@${digest}`] as const);
    }),
  );
  await pMap(stored, readLabelled, { concurrency });
  const elsewhere = [...needs.releases].filter(
    (image) => !digestOf(image).some((digest) => stored.has(digest)),
  );
  await pMap(elsewhere, (image) => readRelease(image, true), { concurrency });
  if (hasOwn) await pMap(needs.catalogs, readCatalog, { concurrency });
  const used = releases.flatMap(({ version, isNeeded }) => (isNeeded && version ? [version] : []));
  const newest = used.sort(byVersion).at(-1) ?? "";
  // A newer release may be stored for an upgrade that is not planned yet.
  for (const { version = "", content, isNeeded } of releases)
    if (isNeeded || byVersion(version, newest) > 0) for (const one of content) digests.add(one);
  const known = new Set(releases.map(({ version }) => version));
  for (const version of needs.versions)
    if (!known.has(version))
      unknown.push(sentence`release ${version} is needed, and no image of it is known`);
  const releaseContent = new Set(releases.flatMap(({ content }) => content));
  return { digests, tags, releaseContent, unknown };
}
