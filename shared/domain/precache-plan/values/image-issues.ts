import { imageProblem, tryResolveName } from "../../images/image-name.ts";
import { fieldIssue, fieldWarning, type Issue, type IssueObject, issueObject } from "../../issues/issue.ts";
import { fieldsOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { ConfigValues } from "./pre-caching-config.ts";

/** TALM's deprecated ConfigMap with overrides. It is in the namespace of the ClusterGroupUpgrade. */
export const overridesConfigMap = "cluster-group-upgrade-overrides";

export type OverrideKey =
  | "precache.image"
  | "platform.image"
  | "operators.indexes"
  | "operators.packagesAndChannels"
  | "excludePrecachePatterns"
  | "precache.spaceRequired";

/** Returns a value of the deprecated ConfigMap; empty if the ConfigMap or the key is absent. */
export function overrideText(configMap: KubernetesObject | undefined, key: OverrideKey): string {
  const value = fieldsOf(configMap?.data)[key];
  return typeof value === "string" ? value : "";
}

/** Returns the lines of a value of the deprecated ConfigMap; undefined if the value is absent or empty. */
export function overrideList(
  configMap: KubernetesObject | undefined,
  key: OverrideKey,
): readonly string[] | undefined {
  const text = overrideText(configMap, key);
  if (text === "") return undefined;
  const entries = text.split("\n").map((line) => line.trim());
  return entries.filter((entry) => entry !== "");
}

/** Returns the warning that a value is from the deprecated ConfigMap, in the words of TALM's log. */
export function deprecation(configMap: KubernetesObject, key: OverrideKey): Issue {
  return fieldWarning(configMap, `data["${key}"]`, overrideText(configMap, key), {
    code: "DeprecatedConfigMap",
    message: `Deprecation warning: using cluster-group-upgrade-overrides ConfigMap to override the default value for ${key} is deprecated. Please use PreCachingConfig CR.`,
    remedy: "Move it into a PreCachingConfig and name that in spec.preCachingConfigRef.",
  });
}

const withoutDigest = {
  message:
    "The image has no digest: what is pulled under a tag may change, and mirror sets apply to digests only.",
  remedy: "Name it as registry/repository@sha256:digest.",
};

/** Reports whether an additional image has a full registry and a digest, which TALM's design document requires. */
export function isUsableImage(image: string): boolean {
  return tryResolveName(image)?.references.every(({ digest }) => digest !== undefined) ?? false;
}

/** Returns an error for each unusable additional image. Planning leaves such images out. */
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

/** Returns an error for each image in `spec.overrides` that no cluster could pull. */
export function overrideImageIssues(
  { platformImage, operatorsIndexes, preCacheImage }: ConfigValues,
  object: IssueObject,
): readonly Issue[] {
  const images = [
    // The workload trims the images that it pulls. `preCacheImage` is the image of a pod, where nothing is trimmed.
    ...(platformImage ? [{ path: "platformImage", image: platformImage.trim() }] : []),
    ...operatorsIndexes.map((image, index) => ({ path: `operatorsIndexes[${index}]`, image: image.trim() })),
    ...(preCacheImage ? [{ path: "preCacheImage", image: preCacheImage }] : []),
  ];
  return overrideIssues(images.map(({ path, image }) => ({ object, path: `spec.overrides.${path}`, image })));
}

/** Returns an error for each image in the deprecated ConfigMap that no cluster could pull. */
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
