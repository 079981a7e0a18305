import { imageProblem, tryResolveName } from "../../images/image-name.ts";
import { fieldIssue, type Issue, type IssueObject, issueObject } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { overrideList, overrideText } from "./overrides-config-map.ts";
import type { ConfigValues } from "./pre-caching-config.ts";

const withoutDigest = {
  message:
    "The image has no digest: what is pulled under a tag may change, and mirror sets apply to digests only.",
  remedy: "Name it as registry/repository@sha256:digest.",
};

/** True for an additional image with full registry and digest, as the design document requires. */
export function isUsableImage(image: string): boolean {
  return tryResolveName(image)?.references.every(({ digest }) => digest !== undefined) ?? false;
}

/** Returns issues of additional images that are not usable, and are left out. */
export function additionalImageIssues(images: readonly string[], object: IssueObject): readonly Issue[] {
  return images.flatMap((image, index): Issue[] => {
    if (isUsableImage(image)) return [];
    const { message, remedy } = imageProblem(image) ?? withoutDigest;
    return [
      fieldIssue(object, `spec.additionalImages[${index}]`, image, {
        code: "AdditionalImageInvalid",
        message: sentence`${message} It is left out; the rest is pre-cached.`,
        remedy,
      }),
    ];
  });
}

type Place = Readonly<{ object: IssueObject; path: string; image: string }>;

function overrideIssues(places: readonly Place[]): readonly Issue[] {
  return places.flatMap(({ object, path, image }): Issue[] => {
    const problem = imageProblem(image);
    return problem ? [fieldIssue(object, path, image, { code: "OverrideImageInvalid", ...problem })] : [];
  });
}

/** Returns issues of images in the overrides that no cluster could pull. A tag is accepted. */
export function overrideImageIssues(
  { platformImage, operatorsIndexes, preCacheImage }: ConfigValues,
  object: IssueObject,
): readonly Issue[] {
  const images = [
    // The workload removes white space around what it pulls; its own image is in a pod.
    ...(platformImage ? [{ path: "platformImage", image: platformImage.trim() }] : []),
    ...operatorsIndexes.map((image, index) => ({ path: `operatorsIndexes[${index}]`, image: image.trim() })),
    ...(preCacheImage ? [{ path: "preCacheImage", image: preCacheImage }] : []),
  ];
  return overrideIssues(images.map(({ path, image }) => ({ object, path: `spec.overrides.${path}`, image })));
}

/** Returns the same issues of the deprecated ConfigMap. */
export function configMapImageIssues(configMap: KubernetesObject): readonly Issue[] {
  const object = issueObject(configMap);
  const texts = (["platform.image", "precache.image"] as const).map((key) => ({
    key,
    image: overrideText(configMap, key).trim(),
  }));
  const key = "operators.indexes";
  const indexes = (overrideList(configMap, key) ?? []).map((image) => ({ key, image }));
  return overrideIssues(
    [...texts.filter(({ image }) => image !== ""), ...indexes].map((one) => ({
      object,
      path: `data["${one.key}"]`,
      image: one.image,
    })),
  );
}
