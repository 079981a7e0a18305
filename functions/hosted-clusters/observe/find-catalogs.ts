import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { annotationImages } from "#shared/domain/hosted-clusters/olm-catalogs/annotation-images.ts";
import {
  type CatalogAnswer,
  type CatalogOptions,
  catalogCandidates,
  searchCatalog,
} from "#shared/domain/hosted-clusters/olm-catalogs/catalog-search.ts";
import { releaseOf } from "#shared/domain/hosted-clusters/olm-catalogs/catalog-versions.ts";
import {
  catalogsFromMirrorsAnnotation,
  type DefaultCatalog,
  defaultCatalogs,
  fromMirrors,
} from "#shared/domain/hosted-clusters/olm-catalogs/default-catalogs.ts";
import {
  type MirroredCatalog,
  mirroredCandidates,
} from "#shared/domain/hosted-clusters/olm-catalogs/mirrored-catalogs.ts";
import { catalogOverrides } from "#shared/domain/hosted-clusters/olm-catalogs/olm-catalogs.ts";
import type { ManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import { type Registry, type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import { notFoundReason, readWithMirrorFallback } from "#shared/registry/mirror-fallback.ts";

/** What registries said of a hosted cluster's catalogs. */
export type CatalogFindings =
  /** Nothing had to be asked. */
  | Readonly<{ state: "not asked" }>
  | Readonly<{ state: "found"; catalogs: readonly MirroredCatalog[] }>
  /** At least one catalog was not found, so that nothing may change. */
  | Readonly<{ state: "incomplete"; messages: readonly string[] }>;

export type CatalogQuestion = Readonly<{
  cluster: HostedCluster;
  mirrors: ManagementMirrors;
  mode: "own" | "verify";
  registry: Registry;
  /** Read only when a registry is really asked. */
  access: () => Promise<RegistryAccess>;
}>;

/** True when the annotations about catalogs are hubrelay's, by the word of a person. */
export function derivesCatalogs({ annotations }: HostedCluster): boolean {
  return annotations[catalogsFromMirrorsAnnotation] === fromMirrors;
}

/** Tells what registries say of an image; a failure is an answer, too. */
export type Ask = (image: string) => Promise<CatalogAnswer>;

function askRegistry(registry: Registry, access: RegistryAccess): Ask {
  return async (image) => {
    try {
      const digest = await registry.digest(image, access);
      return digest === undefined ? { state: "absent" } : { state: "there", digest };
    } catch (error) {
      if (error instanceof RegistryError) return { state: "failed", message: error.message };
      throw error;
    }
  };
}

/** The same through the mirrors of the management cluster, which imports its images like its nodes. */
function askThroughMirrors(ask: Ask, sources: ManagementMirrors["sources"]): Ask {
  return async (image) => {
    const failures: CatalogAnswer[] = [];
    const lookup = await readWithMirrorFallback(image, sources, async (reference) => {
      const answer = await ask(reference);
      if (answer.state === "failed") failures.push(answer);
      return answer.state === "there" ? answer : undefined;
    });
    if (lookup.state === "found") return lookup.content;
    if (lookup.state === "unreadable")
      return { state: "failed", message: `${image}: ${notFoundReason(lookup)}` };
    return failures[0] ?? { state: "absent" };
  };
}

/** Asks for one candidate after the other until the catalog is found, or there are no more. */
async function findCatalog(
  catalog: DefaultCatalog,
  candidates: readonly string[],
  ask: Ask,
  options: CatalogOptions,
): Promise<MirroredCatalog | string> {
  const answers = new Map<string, CatalogAnswer>();
  for (;;) {
    const search = searchCatalog(catalog, candidates, answers, options);
    if (search.state === "found") return { catalog, image: search.image, digest: search.digest };
    if (search.state === "failed") return search.message;
    answers.set(search.image, await ask(search.image));
  }
}

/** Finds all default catalogs, each in its candidates, or tells which were not found. */
export async function findAllCatalogs(
  candidatesOf: (catalog: DefaultCatalog) => readonly string[],
  ask: Ask,
  options: CatalogOptions = {},
): Promise<CatalogFindings> {
  const found = await Promise.all(
    defaultCatalogs.map((catalog) => findCatalog(catalog, candidatesOf(catalog), ask, options)),
  );
  const messages = found.filter((one) => typeof one === "string");
  const catalogs = found.filter((one) => typeof one !== "string");
  return messages.length > 0 ? { state: "incomplete", messages } : { state: "found", catalogs };
}

/**
 * Finds the catalogs of a hosted cluster: in the mirrors of the management cluster where its annotations are
 * hubrelay's, else where they say, if hubrelay writes for it. Registries are not asked for anybody else.
 */
export async function findCatalogs(question: CatalogQuestion): Promise<CatalogFindings> {
  const { cluster, mirrors, mode, registry } = question;
  const derives = derivesCatalogs(cluster);
  const release = releaseOf(cluster.version);
  const isNeeded = derives || (mode === "own" && annotationImages(cluster).state === "absent");
  if (!isNeeded || cluster.disablesDefaultCatalogs || !release) return { state: "not asked" };
  const overrides = catalogOverrides(cluster);
  const candidatesOf = (catalog: DefaultCatalog) =>
    derives ? mirroredCandidates(catalog, release, mirrors) : catalogCandidates(catalog, release, overrides);
  if (derives && defaultCatalogs.every((catalog) => candidatesOf(catalog).length === 0))
    return {
      state: "incomplete",
      messages: ["no mirror of the management cluster has anything to do with registry.redhat.io/redhat"],
    };
  const direct = askRegistry(registry, await question.access());
  // What hubrelay derives has to be in the mirror itself.
  const ask = derives ? direct : askThroughMirrors(direct, mirrors.sources);
  return findAllCatalogs(candidatesOf, ask);
}
