import { sentence } from "../../../credentials/redact.ts";
import { isDigest, tryParseImageReference } from "../../../images/image-reference.ts";
import { fieldIssue, type Issue, type IssueObject } from "../../../issues/issue.ts";
import type { ConfigValues } from "./pre-caching-config.ts";

const malformedDigest = [
  "The digest is invalid: a sha256 digest has 64 hexadecimal digits, in lower case.",
  "Copy it from the registry.",
] as const;

function problemOf(image: string): readonly [message: string, remedy: string] {
  const at = image.indexOf("@");
  const repository = image.slice(image.indexOf("/") + 1, at < 0 ? undefined : at);
  if (image.trim() === "") return ["The entry is empty.", "Remove it."];
  if (at >= 0 && tryParseImageReference(image.slice(0, at))) return malformedDigest;
  if (at < 0 && tryParseImageReference(image))
    return [
      "The image has no digest: what is pulled under a tag may change, and mirror sets apply to digests only.",
      "Name it as registry/repository@sha256:digest.",
    ];
  if (image.includes("/") && /[A-Z]/.test(repository.split(":", 1).join()))
    return ["A repository name cannot contain capital letters.", "Write the name as the registry has it."];
  return [
    "The image is not fully qualified.",
    "Name it as registry/repository@sha256:digest, with the registry's host.",
  ];
}

/** True for an additional image with full registry and digest, as the design document requires. */
export function isUsableImage(image: string): boolean {
  return tryParseImageReference(image)?.digest !== undefined;
}

/** Returns issues of additional images that are not usable, and are left out. */
export function additionalImageIssues(images: readonly string[], object: IssueObject): readonly Issue[] {
  return images.flatMap((image, index): Issue[] => {
    if (isUsableImage(image)) return [];
    const [message, remedy] = problemOf(image);
    return [
      fieldIssue(object, `spec.additionalImages[${index}]`, image, {
        code: "AdditionalImageInvalid",
        message: sentence`${message} It is left out; the rest is pre-cached.`,
        remedy,
      }),
    ];
  });
}

/** Returns issues of images in the overrides that no cluster could pull: their digest is none. A tag is accepted. */
export function overrideImageIssues(
  { platformImage, operatorsIndexes, preCacheImage }: ConfigValues,
  object: IssueObject,
): readonly Issue[] {
  const images = [
    { path: "platformImage", image: platformImage },
    ...operatorsIndexes.map((image, index) => ({ path: `operatorsIndexes[${index}]`, image })),
    { path: "preCacheImage", image: preCacheImage },
  ];
  const [message, remedy] = malformedDigest;
  return images.flatMap(({ path, image }): Issue[] => {
    const at = image.indexOf("@");
    if (at < 0 || isDigest(image.slice(at + 1).trim())) return [];
    return [
      fieldIssue(object, `spec.overrides.${path}`, image, { code: "OverrideImageInvalid", message, remedy }),
    ];
  });
}
