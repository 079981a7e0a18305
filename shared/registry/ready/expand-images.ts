import { withoutVersion } from "../../domain/images/image-reference.ts";
import { hostOf } from "../../domain/images/scope.ts";
import { fieldIssue, type Issue } from "../../domain/issues/issue.ts";
import type { IssueCode } from "../../domain/issues/issue-codes.ts";
import type { PrecachingSpec } from "../../domain/precache-model/precaching-spec.ts";
import { readExclusion } from "../../domain/precache-plan/values/exclude-patterns.ts";
import { type CatalogSelection, parseCatalogSelection } from "../../domain/ready/catalog-selection.ts";
import { type ImageRoute, lookupRoute } from "../../domain/ready/locations.ts";
import { catalogReader, configsLabel, databaseLabel } from "../../domain/ready/operator-images.ts";
import type { Origin } from "../../domain/ready/wanted-images.ts";
import { sentence } from "../../domain/text/redact.ts";
import type { Registry, RegistryAccess, RegistryContents, RegistryImage } from "../../ports/registry.ts";
import { type MirrorLookup, notFoundReason, readFromLocations, UnfitImage } from "../mirror-fallback.ts";
import { releaseReader } from "../release-reader.ts";

/** What is needed to read the images that releases and catalogs list. */
export type Expansion = Readonly<{
  registry: Registry & RegistryContents;
  access: RegistryAccess;
  architecture: string;
  /** The architectures of all nodes. By default only `architecture`. */
  architectures?: readonly string[];
  routeOf: (image: string) => ImageRoute | Readonly<{ problem: string }>;
}>;

/** The images that a release or catalog lists, and the issues that were found while reading it. */
export type Expanded = Readonly<{
  /** `tag` is the image's tag in the release's image-references. Images from a catalog have none. */
  images: readonly Readonly<{ image: string; origin: Origin; tag?: string }>[];
  issues: readonly Issue[];
}>;

type ImageList = Readonly<{ kind: "Release" | "Catalog"; name: string }>;

function unknown(list: ImageList, code: IssueCode, message: string, remedy: string): Issue {
  return fieldIssue(list, "", undefined, { code, message, remedy });
}

async function readFrom<Content>(
  image: string,
  { routeOf, access }: Expansion,
  read: (locations: readonly string[], access: RegistryAccess) => Promise<MirrorLookup<Content>>,
): Promise<MirrorLookup<Content>> {
  const route = routeOf(image);
  if ("problem" in route) return { state: "unreadable" };
  // A location with the reason `down` is only assumed to be down, to show the consequences. It can still be read.
  const locations = route.locations.filter(({ skipped }) => !skipped || skipped.reason === "down");
  const insecureHosts = locations
    .filter(({ insecure }) => insecure)
    .map(({ reference }) => hostOf(reference));
  const references = locations.map(({ reference }) => reference);
  return read(references, { ...access, insecureHosts });
}

/** Returns a version's release image by digest, in OpenShift's own repository. Digest-only mirrors are asked, too. */
export async function releaseOfVersion(
  tagged: string,
  expansion: Expansion,
): Promise<Readonly<{ release: string } | { issue: Issue }>> {
  const { registry, routeOf } = expansion;
  const toLookUp = (image: string) => {
    const route = routeOf(image);
    return "problem" in route ? route : lookupRoute(route);
  };
  const lookup = await readFrom(tagged, { ...expansion, routeOf: toLookUp }, (references, access) =>
    readFromLocations(references, (reference) => registry.digest(reference, access)),
  );
  if (lookup.state === "found") return { release: `${withoutVersion(tagged)}@${lookup.content}` };
  const message = sentence`The digest of this version is not known: ${notFoundReason(lookup)}`;
  const remedy = "Name the release by its digest, or use -f with a ClusterVersion that lists it.";
  return { issue: unknown({ kind: "Release", name: tagged }, "ReleaseUnreadable", message, remedy) };
}

function architectureIssues(
  release: string,
  { architecture, architectures = [architecture] }: Expansion,
  found: RegistryImage | undefined,
): readonly Issue[] {
  const isForOne = found !== undefined && found.digest === found.listDigest && found.architecture !== "";
  const others = isForOne ? architectures.filter((one) => one !== found.architecture) : [];
  if (!found || others.length === 0) return [];
  const message = sentence`This release is for ${found.architecture} only, and there are nodes of ${others.join(" and ")}`;
  const remedy = sentence`Name the release of ${others.join(" and ")}, or the multi-architecture one; --arch says what nodes there are.`;
  return [unknown({ kind: "Release", name: release }, "ReleaseOfOtherArchitecture", message, remedy)];
}

/** Returns the images of a release, including the release image itself. */
export async function expandRelease(
  release: string,
  expansion: Expansion,
  isExcluded: (tag: string, image: string) => boolean = () => false,
): Promise<Expanded> {
  const reader = releaseReader(expansion.registry);
  let image: RegistryImage | undefined;
  const lookup = await readFrom(release, expansion, async (references, access) => {
    const found = await reader.read(references, access);
    if (found.state === "found") image = await expansion.registry.image(found.reference, access);
    return found;
  });
  const originOf = (version: string | undefined): Origin => ({ kind: "release", release, version });
  if (lookup.state !== "found") {
    const message = sentence`The images of this release are not known: ${notFoundReason(lookup)}`;
    const remedy = "Mirror the release image, or fix what the message names.";
    return {
      images: [{ image: release, origin: originOf(undefined) }],
      issues: [unknown({ kind: "Release", name: release }, "ReleaseUnreadable", message, remedy)],
    };
  }
  const { version, images } = lookup.content;
  const origin = originOf(version);
  const components = [...images].filter(([tag, name]) => !isExcluded(tag, name));
  return {
    images: [{ image: release, origin }, ...components.map(([tag, image]) => ({ image, origin, tag }))],
    issues: architectureIssues(release, expansion, image),
  };
}

/**
 * Returns a catalog's index image and the images of its bundles: with `hasAllBundles` of all bundles, otherwise only of
 * the bundles at the heads of the selected channels.
 */
export async function expandCatalog(
  selection: CatalogSelection,
  expansion: Expansion,
  hasAllBundles = false,
): Promise<Expanded> {
  const { index } = selection;
  const { registry, architecture } = expansion;
  const read = async (reference: string, access: RegistryAccess) => {
    const image = await registry.image(reference, access, { architecture });
    if (!image) return undefined;
    if (!image.labels[configsLabel] && image.labels[databaseLabel])
      throw new UnfitImage("its catalog is a database; only file-based catalogs can be read");
    const folder = (image.labels[configsLabel] ?? "/configs").replace(/^\/+|(?<!\/)\/+$/g, "");
    const reader = catalogReader(selection);
    await registry.visitFolder(reference, folder, reader.add, access, { architecture });
    const content = reader.content();
    return hasAllBundles ? { ...content, images: reader.allImages() } : content;
  };
  const lookup = await readFrom(index, expansion, (references, access) =>
    readFromLocations(references, (reference) => read(reference, access)),
  );
  const all = (packages: CatalogSelection["packages"], images: readonly string[]) =>
    [index, ...images].map((image) => ({ image, origin: { kind: "catalog", index, packages } as const }));
  if (lookup.state !== "found") {
    const message = sentence`The content of this catalog is not known: ${notFoundReason(lookup)}`;
    const remedy = "Mirror the catalog, or fix what the message names.";
    return {
      images: all(selection.packages, []),
      issues: [unknown({ kind: "Catalog", name: index }, "CatalogUnreadable", message, remedy)],
    };
  }
  const { images, packages, problems } = lookup.content;
  return {
    images: all(packages, images),
    issues: problems.map((problem) =>
      unknown(
        { kind: "Catalog", name: index },
        "CatalogEntryMissing",
        sentence`This catalog is not complete: ${problem}`,
        "Name packages and channels that the catalog has, or mirror it with them.",
      ),
    ),
  };
}

/** A missing package is an issue only if no index has it. */
async function expandIndexes(
  { operatorsIndexes, operatorsPackagesAndChannels }: PrecachingSpec,
  expansion: Expansion,
): Promise<Expanded> {
  const expanded = await Promise.all(
    operatorsIndexes.map((index) => {
      const selection = parseCatalogSelection(`${index}=${operatorsPackagesAndChannels.join(",")}`);
      return expandCatalog(selection ?? { index, packages: [] }, expansion);
    }),
  );
  const all = expanded.flatMap(({ issues }) => issues);
  const isEverywhere = ({ message }: Issue) =>
    all.filter((other) => other.message === message).length === operatorsIndexes.length;
  return {
    images: expanded.flatMap(({ images }) => images),
    issues: all.filter((issue) => issue.code !== "CatalogEntryMissing" || isEverywhere(issue)),
  };
}

/** Returns all images of a pre-cache plan. */
export async function expandSpec(spec: PrecachingSpec, expansion: Expansion): Promise<Expanded> {
  const { platformImage, excludePrecachePatterns, additionalImages } = spec;
  const { isExcluded } = readExclusion(excludePrecachePatterns);
  const parts = await Promise.all([
    ...(platformImage ? [expandRelease(platformImage, expansion, isExcluded)] : []),
    expandIndexes(spec, expansion),
  ]);
  const additional = additionalImages.map((image) => ({ image, origin: { kind: "image" } as const }));
  return {
    images: [...parts.flatMap(({ images }) => images), ...additional],
    issues: parts.flatMap(({ issues }) => issues),
  };
}
