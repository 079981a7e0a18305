import { parseDockerReference } from "../../images/docker-reference.ts";
import { imageProblem } from "../../images/image-name.ts";
import { annotationIssue, hasErrors, type Issue, type Problem } from "../../issues/issue.ts";
import { ownValue } from "../../kubernetes/json/values.ts";
import { parseRelease } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { type DefaultCatalog, knownCatalogs } from "../facts/hypershift.ts";
import { decodeOverrides } from "../overrides/environment-text.ts";
import {
  catalogCandidates,
  catalogOverridesAnnotation,
  catalogRegistry,
  catalogsFromMirrorsAnnotation,
  controlPlaneRelease,
  defaultCatalogsOf,
  fromMirrors,
  isUncertain,
  overrideKeys,
} from "./default-catalogs.ts";

/** A default catalog, and its image. */
export type CatalogImage = Readonly<{ name: string; image: string }>;

/** The catalog images that a HostedCluster's annotations name. */
export type AnnotationImages =
  | Readonly<{ state: "absent" }>
  | Readonly<{ state: "given"; images: readonly CatalogImage[] }>
  | Readonly<{ state: "refused"; issue: Issue }>;

/**
 * Returns the catalog images in the annotations. These must name no image, or one by digest for every catalog, except
 * for a catalog that some control planes of the release lack. The messages are HyperShift's, except for references that
 * no node could pull.
 */
export function annotationImages(cluster: HostedCluster): AnnotationImages {
  const { object, annotations, olmCatalogPlacement } = cluster;
  // HyperShift reads the annotations only if the catalogs run in the control plane.
  if (olmCatalogPlacement === "guest") return { state: "absent" };
  const named = defaultCatalogsOf(cluster)
    .map((catalog) => ({ ...catalog, image: ownValue(annotations, catalog.imageAnnotation) ?? "", catalog }))
    .filter(({ image, catalog }) => image !== "" || !isUncertain(catalog, cluster));
  const set = named.filter(({ image }) => image !== "");
  if (set.length === 0) return { state: "absent" };
  const byTag = set.find(({ image }) => !image.includes("@sha256:"));
  if (byTag)
    return {
      state: "refused",
      issue: annotationIssue(object, byTag.imageAnnotation, {
        code: "CatalogNotByDigest",
        message: "images for OLM catalogs should be referenced only by digest",
        remedy: "Write the image with @sha256: and its digest.",
      }),
    };
  const invalid = set.find(({ image }) => imageProblem(image));
  const problem = invalid && imageProblem(invalid.image);
  if (problem) {
    const issue = annotationIssue(object, invalid.imageAnnotation, { code: "InvalidReference", ...problem });
    return { state: "refused", issue };
  }
  const missing = named.find(({ image }) => image === "");
  if (missing)
    return {
      state: "refused",
      issue: annotationIssue(object, missing.imageAnnotation, {
        code: "CatalogsIncomplete",
        value: "",
        message: `if OLM catalog images are overridden, all the values for the ${named.length} default catalogs should be provided`,
        remedy: sentence`Set the annotation ${missing.imageAnnotation} as well, or remove the others.`,
      }),
    };
  return { state: "given", images: named.map(({ name, image }) => ({ name, image })) };
}

/** Returns the overrides of `catalogOverridesAnnotation`; empty without the annotation. */
export function catalogOverrides({ annotations }: Pick<HostedCluster, "annotations">) {
  return (
    decodeOverrides(annotations[catalogOverridesAnnotation] ?? "") ?? new Map<string, readonly string[]>()
  );
}

const keys = overrideKeys.join(" and ");

const isTarget = (target: string) => "reference" in parseDockerReference(`${target}/x`);

function pairIssue(pair: string, isSearched: boolean): Problem | undefined {
  const equals = pair.indexOf("=");
  const source = pair.slice(0, Math.max(equals, 0));
  if (source === "" || equals === pair.length - 1)
    return {
      code: "DroppedPair",
      message: sentence`"${pair}" is not source=target and is silently ignored`,
      remedy: "Write both sides, or remove the pair.",
    };
  if (!overrideKeys.some((key) => key === source))
    return {
      code: "UselessOverride",
      message: sentence`HyperShift ignores the source "${source}": it looks up only ${keys}`,
      remedy: `Write it for ${catalogRegistry}, or remove the pair.`,
    };
  const target = pair.slice(equals + 1);
  if (!isTarget(target))
    return {
      code: "InvalidTarget",
      severity: isSearched ? "error" : "warning",
      message: sentence`No catalog's address can begin with "${target}"; where the catalogs run in the control plane, HyperShift finds none of them`,
      remedy: "Write host[:port][/path] in lower case, without scheme, tag and trailing slash.",
    };
  return undefined;
}

function deadImage(cluster: HostedCluster, { name }: DefaultCatalog): Problem {
  return {
    code: "DeadAnnotation",
    message: sentence`This annotation is unused: OpenShift ${controlPlaneRelease(cluster)} has no catalog ${name}`,
    remedy: "Remove it.",
  };
}

function missingImage(cluster: HostedCluster, { name, imageAnnotation }: DefaultCatalog): Problem {
  return {
    code: "CatalogsIncomplete",
    message: sentence`Early control planes of ${controlPlaneRelease(cluster)} have the catalog ${name} too and refuse images for only some catalogs`,
    remedy: sentence`Set ${imageAnnotation} as well: control planes without this catalog ignore it.`,
  };
}

function ignoredImages(
  { annotations, olmCatalogPlacement }: HostedCluster,
  catalogs: readonly DefaultCatalog[],
): readonly string[] {
  if (olmCatalogPlacement !== "guest" || annotations[catalogsFromMirrorsAnnotation] === fromMirrors)
    return [];
  return catalogs
    .map(({ imageAnnotation }) => imageAnnotation)
    .filter((annotation) => ownValue(annotations, annotation));
}

function overrideIssues(cluster: HostedCluster): readonly Issue[] {
  const { object, annotations, olmCatalogPlacement } = cluster;
  const catalogs = defaultCatalogsOf(cluster);
  const warn = (annotation: string, problem: Problem) =>
    annotationIssue(object, annotation, { severity: "warning", ...problem });
  const text = annotations[catalogOverridesAnnotation] ?? "";
  const isSearched = olmCatalogPlacement === "management" && !cluster.disablesDefaultCatalogs;
  const pairs = (text === "" || text === "=" ? [] : text.split(",")).flatMap((pair): Issue[] => {
    const about = pairIssue(pair, isSearched);
    return about ? [warn(catalogOverridesAnnotation, about)] : [];
  });
  const overrides = catalogOverrides(cluster);
  const isAmbiguous = overrideKeys.every((key) => overrides.has(key));
  const namesImages =
    olmCatalogPlacement === "management" &&
    catalogs.some(({ imageAnnotation }) => ownValue(annotations, imageAnnotation));
  const images = knownCatalogs.flatMap((catalog): Issue[] => {
    const { imageAnnotation } = catalog;
    if (ownValue(annotations, imageAnnotation))
      return catalogs.includes(catalog) ? [] : [warn(imageAnnotation, deadImage(cluster, catalog))];
    const isMissed =
      namesImages && cluster.controlPlaneVersion !== undefined && isUncertain(catalog, cluster);
    return isMissed ? [warn(imageAnnotation, missingImage(cluster, catalog))] : [];
  });
  return [
    ...pairs,
    ...images,
    ...(isAmbiguous
      ? [
          warn(catalogOverridesAnnotation, {
            code: "AmbiguousOverrides",
            message: sentence`With both ${keys} HyperShift decides at random each time whether the latter counts`,
            remedy: `Write only ${catalogRegistry}, with all its mirrors.`,
          }),
        ]
      : []),
    ...ignoredImages(cluster, catalogs).map((annotation) =>
      warn(annotation, {
        code: "IgnoredAnnotation",
        message: "HyperShift does not read this annotation where the catalogs run in the guest",
        remedy: `Write the mirror into ${catalogOverridesAnnotation}.`,
      }),
    ),
  ];
}

/** The catalog images of a hosted cluster, and the issues of its annotations. */
export type OlmCatalogs = Readonly<{ catalogs: readonly CatalogImage[]; issues: readonly Issue[] }>;

/**
 * Returns the catalog images in the annotations or, without them, those that HyperShift tries first. Contacts no
 * registry. Empty if the images are unknown or the default catalogs are disabled.
 */
export function olmCatalogs(cluster: HostedCluster): OlmCatalogs {
  const issues = overrideIssues(cluster);
  if (cluster.disablesDefaultCatalogs) return { catalogs: [], issues };
  const named = annotationImages(cluster);
  if (named.state === "refused") return { catalogs: [], issues: [...issues, named.issue] };
  if (named.state === "given") return { catalogs: named.images, issues };

  const release = parseRelease(cluster.version);
  if (!release || hasErrors(issues)) return { catalogs: [], issues };
  const overrides = catalogOverrides(cluster);
  const catalogs = defaultCatalogsOf(cluster).map((catalog): CatalogImage => {
    const [first = ""] = catalogCandidates(catalog, release, overrides);
    return { name: catalog.name, image: first };
  });
  return { catalogs, issues };
}
