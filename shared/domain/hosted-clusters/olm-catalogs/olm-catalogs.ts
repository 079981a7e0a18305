import { goQuote } from "../../go-compat/go-quote.ts";
import { parseDockerReference } from "../../images/docker-reference.ts";
import { type Issue, issueObject } from "../../issues/issue.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { decodeOverrides } from "../overrides/environment-text.ts";
import { annotationImages, type CatalogImage } from "./annotation-images.ts";
import { type CatalogOptions, catalogCandidates } from "./catalog-search.ts";
import { cappedRelease, releaseOf } from "./catalog-versions.ts";
import { catalogOverridesAnnotation, defaultCatalogs } from "./default-catalogs.ts";
import { ignoredByHypershift, overrideIssues } from "./override-issues.ts";

/** The catalogs of a hosted cluster by name, and what is wrong with what was asked for. */
export type OlmCatalogs = Readonly<{ catalogs: readonly CatalogImage[]; issues: readonly Issue[] }>;

function versionIssue({ object, releaseImage }: HostedCluster, version: string | undefined): Issue {
  const about = { object: issueObject(object), path: "spec.release.image", value: releaseImage };
  return version === undefined
    ? {
        code: "UnknownVersion",
        severity: "warning",
        ...about,
        message: "Nobody tells the version of this release, so its catalogs are not known",
        remedy: "Give it with --release-version.",
      }
    : {
        code: "InvalidVersion",
        severity: "error",
        ...about,
        value: version,
        message: `invalid OpenShift release version format: ${version}`,
        remedy: "Write it like 4.20.4.",
      };
}

/** An address that HyperShift cannot look up, which ends its search for all catalogs; a guest is given it unread. */
function unreadableImage({ object, annotations }: HostedCluster, image: string): readonly Issue[] {
  const parsed = parseDockerReference(image);
  if (!("error" in parsed)) return [];
  return [
    {
      code: "InvalidReference",
      severity: "error",
      object: issueObject(object),
      path: `metadata.annotations["${catalogOverridesAnnotation}"]`,
      value: annotations[catalogOverridesAnnotation],
      message: `failed to get image digest: failed to parse image reference ${goQuote(image)}: ${parsed.error}`,
      remedy: "Mend the target, or remove its pair.",
    },
  ];
}

/** The overrides that the annotation has; a text of nothing is none. */
export function catalogOverrides({ annotations }: Pick<HostedCluster, "annotations">) {
  return (
    decodeOverrides(annotations[catalogOverridesAnnotation] ?? "") ?? new Map<string, readonly string[]>()
  );
}

/**
 * The images of a hosted cluster's catalogs as they are before any registry is asked: those that the annotations
 * name, else the newest tag of the first registry. None where the default catalogs are disabled, where the version
 * is not known, where the annotations are refused, or where HyperShift could not look the first of them up.
 */
export function olmCatalogs(
  cluster: HostedCluster,
  version: string | undefined,
  { compat }: CatalogOptions = {},
): OlmCatalogs {
  const isLikeHypershift = compat === "hypershift";
  const issues = [...overrideIssues(cluster), ...ignoredByHypershift(cluster)];
  if (cluster.disablesDefaultCatalogs) return { catalogs: [], issues };
  // HyperShift reads the image annotations where the catalogs run in the control plane, and nowhere else.
  const named: ReturnType<typeof annotationImages> =
    isLikeHypershift && cluster.olmCatalogPlacement === "guest"
      ? { state: "absent" }
      : annotationImages(cluster);
  if (named.state === "refused") return { catalogs: [], issues: [...issues, named.issue] };
  if (named.state === "given") return { catalogs: named.images, issues };

  const release = releaseOf(version);
  if (!release) return { catalogs: [], issues: [...issues, versionIssue(cluster, version)] };
  const overrides = catalogOverrides(cluster);
  const catalogs = defaultCatalogs.map((catalog): CatalogImage => {
    const [first = ""] = catalogCandidates(catalog, cappedRelease(release), overrides, { compat });
    return { name: catalog.name, image: first };
  });
  const unreadable =
    isLikeHypershift && cluster.olmCatalogPlacement === "management"
      ? catalogs.flatMap(({ image }) => unreadableImage(cluster, image)).slice(0, 1)
      : [];
  return { catalogs: unreadable.length > 0 ? [] : catalogs, issues: [...issues, ...unreadable] };
}
