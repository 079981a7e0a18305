import { parseDockerReference } from "../../images/docker-reference.ts";
import { annotationIssue, fieldIssue, fieldWarning, type Issue } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { sentence } from "../../text/redact.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { decodeOverrides } from "../overrides/environment-text.ts";
import { annotationImages, type CatalogImage } from "./annotation-images.ts";
import { catalogCandidates } from "./catalog-search.ts";
import {
  type CatalogOptions,
  cappedRelease,
  catalogOverridesAnnotation,
  defaultCatalogsOf,
  releaseOf,
} from "./default-catalogs.ts";
import { ignoredByHypershift, overrideIssues } from "./override-issues.ts";

/** The catalogs of a hosted cluster by name, and the issues of the request. */
export type OlmCatalogs = Readonly<{ catalogs: readonly CatalogImage[]; issues: readonly Issue[] }>;

function versionIssue({ object, releaseImage }: HostedCluster, version: string | undefined): Issue {
  return version === undefined
    ? fieldWarning(object, "spec.release.image", releaseImage, {
        code: "UnknownVersion",
        message: "The version of this release is unknown, so its catalogs are unknown too",
        remedy: "Set it with --release-version.",
      })
    : fieldIssue(object, "spec.release.image", version, {
        code: "InvalidVersion",
        message: sentence`invalid OpenShift release version format: ${version}`,
        remedy: "Write it like 4.20.4.",
      });
}

/** HyperShift stops its search for all catalogs at an address that it cannot parse; for a guest it parses none. */
function unreadableImage({ object }: HostedCluster, image: string): readonly Issue[] {
  const parsed = parseDockerReference(image);
  if (!("error" in parsed)) return [];
  return [
    annotationIssue(object, catalogOverridesAnnotation, {
      code: "InvalidReference",
      message: sentence`failed to get image digest: failed to parse image reference ${goQuote(image)}: ${parsed.error}`,
      remedy: "Fix the target, or remove its pair.",
    }),
  ];
}

/** Returns the overrides in the annotation; empty without any. */
export function catalogOverrides({ annotations }: Pick<HostedCluster, "annotations">) {
  return (
    decodeOverrides(annotations[catalogOverridesAnnotation] ?? "") ?? new Map<string, readonly string[]>()
  );
}

/**
 * Returns the images of a hosted cluster's catalogs without asking a registry: those that the annotations name,
 * else the newest tag of the first registry. Empty if the default catalogs are disabled, the version is unknown,
 * the annotations are refused, or HyperShift could not parse the first of the addresses.
 */
export function olmCatalogs(
  cluster: HostedCluster,
  version: string | undefined,
  { compat }: CatalogOptions = {},
): OlmCatalogs {
  const isLikeHypershift = compat === "hypershift";
  const issues = [...overrideIssues(cluster), ...ignoredByHypershift(cluster)];
  if (cluster.disablesDefaultCatalogs) return { catalogs: [], issues };
  // HyperShift reads the image annotations only if the catalogs run in the control plane.
  const named: ReturnType<typeof annotationImages> =
    isLikeHypershift && cluster.olmCatalogPlacement === "guest"
      ? { state: "absent" }
      : annotationImages(cluster, { compat });
  if (named.state === "refused") return { catalogs: [], issues: [...issues, named.issue] };
  if (named.state === "given") return { catalogs: named.images, issues };

  const release = releaseOf(version);
  if (!release) return { catalogs: [], issues: [...issues, versionIssue(cluster, version)] };
  const overrides = catalogOverrides(cluster);
  const catalogs = defaultCatalogsOf(cluster).map((catalog): CatalogImage => {
    const [first = ""] = catalogCandidates(catalog, cappedRelease(release), overrides, { compat });
    return { name: catalog.name, image: first };
  });
  const unreadable =
    isLikeHypershift && cluster.olmCatalogPlacement === "management"
      ? catalogs.flatMap(({ image }) => unreadableImage(cluster, image)).slice(0, 1)
      : [];
  return { catalogs: unreadable.length > 0 ? [] : catalogs, issues: [...issues, ...unreadable] };
}
