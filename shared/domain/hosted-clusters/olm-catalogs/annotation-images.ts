import { imageProblem } from "../../images/image-problem.ts";
import { annotationIssue, type Issue } from "../../issues/issue.ts";
import { ownValue } from "../../kubernetes/json/values.ts";
import { sentence } from "../../text/redact.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { type CatalogOptions, defaultCatalogsOf, isUncertain } from "./default-catalogs.ts";

/** One catalog and its image. */
export type CatalogImage = Readonly<{ name: string; image: string }>;

/** The images in the annotations of a HostedCluster: an image for every catalog, none, or an error. */
export type AnnotationImages =
  | Readonly<{ state: "absent" }>
  | Readonly<{ state: "given"; images: readonly CatalogImage[] }>
  | Readonly<{ state: "refused"; issue: Issue }>;

/**
 * Returns the images that the annotations name, one for each catalog. If not all are given by digest, the catalogs
 * are not reconciled; the messages are HyperShift's. A catalog that only some control planes of the release have may
 * be missing.
 */
export function annotationImages(cluster: HostedCluster, options: CatalogOptions = {}): AnnotationImages {
  const { object, annotations } = cluster;
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
  const invalid = options.compat ? undefined : set.find(({ image }) => imageProblem(image));
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
