import { planningSettings } from "#shared/adapters/settings/planning-settings.ts";
import { updateGraphIn } from "#shared/adapters/update-graph/open-update-graph.ts";
import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { MirrorInput } from "#shared/domain/mirrors/configuration.ts";
import { refusedFileIssue } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import type { ExplainProblem } from "#shared/domain/mirrors/explain/explain-image.ts";
import { isVersion } from "#shared/domain/openshift/releases/release.ts";
import type { PrecachingSpec } from "#shared/domain/precache-model/precaching-spec.ts";
import { planInputsOf } from "#shared/domain/precache-plan/plan-input.ts";
import { hubVersionOf } from "#shared/domain/precache-plan/selection/cluster-facts.ts";
import { architecturesOf } from "#shared/domain/precache-plan/sizes/cluster-sizes.ts";
import type { CatalogSelection } from "#shared/domain/ready/catalog-selection.ts";
import { type ImageRoute, lookupRoute, signedRoute } from "#shared/domain/ready/locations.ts";
import {
  isUnknownVersion,
  listedRelease,
  mergeWanted,
  type Origin,
  taggedRelease,
  versionsOf,
  type WantedImage,
} from "#shared/domain/ready/wanted-images.ts";
import {
  type CheckedImages,
  checkImages,
  type ReadinessOptions,
} from "#shared/registry/ready/check-images.ts";
import {
  type Expansion,
  expandCatalog,
  expandRelease,
  expandSpec,
  releaseOfVersion,
} from "#shared/registry/ready/expand-images.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { plans, readHubInputs } from "../precache/plan-inputs.ts";
import { namedUpgrades } from "../precache/upgrade-requests.ts";
import type { NodeRoutes } from "./node-rules.ts";

/** The releases, catalogs and images that the options of a command name. */
export type Requested = Readonly<{
  releases: readonly string[];
  catalogs: readonly CatalogSelection[];
  images: readonly string[];
  specs: readonly PrecachingSpec[];
  /** The architectures of the clusters of the named ClusterGroupUpgrades. */
  architectures: readonly string[];
  issues: readonly Issue[];
}>;

const clusterVersionIn = (objects: readonly KubernetesObject[]): KubernetesObject | undefined =>
  objects.find((object) => isKind(kinds.ClusterVersion, object) && object.metadata.name === "version");

/** Returns the pre-cache specs of the named ClusterGroupUpgrades. Throws `UsageError` for an unknown name. */
export async function plannedSpecs(
  names: readonly string[],
  objects: readonly KubernetesObject[],
  filename: readonly string[] | undefined,
): Promise<Pick<Requested, "specs" | "architectures" | "issues">> {
  if (names.length === 0) return { specs: [], architectures: [], issues: [] };
  const { profile, indexRepositories, hubVersion } = await inEnvironment(async () =>
    planningSettings(process.env),
  );
  const inputs = filename
    ? planInputsOf(objects, hubVersionOf(clusterVersionIn(objects)))
    : await readHubInputs();
  const known = hubVersion === undefined ? inputs : inputs.map((input) => ({ ...input, hubVersion }));
  const planned = await plans(known, { profile, indexRepositories }, updateGraphIn(...(filename ?? [])));
  const pairs = planned.flatMap((plan, index) => {
    const input = inputs[index];
    return input ? [{ plan, cgu: input.cgu, managedClusters: input.managedClusters }] : [];
  });
  const chosen = namedUpgrades(pairs, names, ({ cgu }) => cgu);
  return {
    specs: chosen.map(({ plan }) => plan.spec),
    architectures: [...new Set(chosen.flatMap(architecturesOf))],
    issues: chosen.flatMap(({ plan }) => plan.issues),
  };
}

type Wanted = Readonly<{
  images: readonly Readonly<{ image: string; origin: Origin }>[];
  releases: readonly string[];
  issues: readonly Issue[];
}>;

type Part = Readonly<{ images: Wanted["images"]; issues: readonly Issue[]; release?: string }>;

async function wantedImages(
  { releases, catalogs, images, specs }: Requested,
  objects: readonly KubernetesObject[],
  architectures: readonly string[],
  expansion: Expansion,
): Promise<Wanted> {
  const clusterVersion = clusterVersionIn(objects);
  const itself = (image: string) => ({ image, origin: { kind: "image" } as const });

  async function ofRelease(given: string): Promise<Part> {
    const tagged = isVersion(given) ? taggedRelease(given, architectures) : undefined;
    const listed = tagged && listedRelease(clusterVersion, given);
    const found =
      tagged && !listed ? await releaseOfVersion(tagged, expansion) : { release: listed ?? given };
    if ("issue" in found) {
      // Checking the release's own image shows whether registries lack the release or do not respond.
      const origin: Origin = { kind: "release", release: given, version: given };
      return { images: tagged ? [{ image: tagged, origin }] : [], issues: [found.issue] };
    }
    const { release } = found;
    return { release, ...(await expandRelease(release, expansion)) };
  }

  async function ofSpec(spec: PrecachingSpec): Promise<Part> {
    const release = spec.platformImage ? { release: spec.platformImage } : {};
    return { ...release, ...(await expandSpec(spec, expansion)) };
  }

  const parts = await Promise.all([
    ...releases.map((release) => ofRelease(release)),
    ...catalogs.map((catalog) => expandCatalog(catalog, expansion)),
    ...specs.map(ofSpec),
    Promise.resolve({ images: images.map(itself), issues: [] }),
  ]);
  return {
    images: parts.flatMap((part: Part) => part.images),
    releases: parts.flatMap((part: Part) => part.release ?? []),
    issues: parts.flatMap((part: Part) => part.issues),
  };
}

export type AskOptions = Pick<NodeRoutes, "routeOf" | "architectures"> &
  Pick<ReadinessOptions, "depth" | "isDisconnected" | "onProgress"> &
  Pick<Expansion, "registry" | "access"> &
  Readonly<{
    registry: ReadinessOptions["contents"];
    /** The mirror input of the nodes' cluster; undefined for a hosted cluster: its release has no signature policy. */
    cluster: MirrorInput | undefined;
  }>;

/** The registries' responses about the requested images, for nodes with the same pull rules. */
export type AskedNodes = CheckedImages &
  Readonly<{
    wanted: readonly WantedImage[];
    /** The releases whose images are known. */
    releases: readonly string[];
    architectures: readonly string[];
    issues: readonly Issue[];
  }>;

function unreadable(image: string, { problem, refused }: ExplainProblem): Issue {
  if (refused) return refusedFileIssue(refused);
  return fieldIssue({ kind: "Image", name: image }, "", image, {
    code: "UnreadableImageName",
    message: problem,
    remedy: "Name the image in full, as host/path@sha256:DIGEST or host/path:tag.",
  });
}

/** Asks registries for all requested images, at the locations from which these nodes pull. */
export async function askNodes(
  requested: Requested,
  objects: readonly KubernetesObject[],
  { routeOf, architectures, registry, access, cluster, ...options }: AskOptions,
): Promise<AskedNodes> {
  const architecture = architectures[0] ?? "amd64";
  const expansion = { registry, access, architecture, architectures, routeOf };
  const named = await wantedImages(requested, objects, architectures, expansion);
  const wanted = mergeWanted(named.images);
  const routes = wanted.map(({ image, origins }) => {
    const route = routeOf(image);
    if ("problem" in route) return { image, route };
    const signed = cluster ? signedRoute(route, versionsOf(origins), cluster) : route;
    return { image, route: origins.some(isUnknownVersion) ? lookupRoute(signed) : signed };
  });
  const problems = routes.flatMap(({ image, route }) =>
    "problem" in route ? [unreadable(image, route)] : [],
  );
  const readable = routes.flatMap(({ route }): readonly ImageRoute[] => ("problem" in route ? [] : [route]));
  const asked = await checkImages(readable, { ...options, contents: registry, access, architectures });
  return {
    ...asked,
    wanted,
    releases: named.releases,
    architectures,
    issues: [...named.issues, ...problems],
  };
}
