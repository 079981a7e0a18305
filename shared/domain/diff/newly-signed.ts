import { tryParseImageReference } from "../images/image-reference.ts";
import { isRecord, isSameJson } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { findPolicy, type PolicyRules, readPolicyRules } from "../mirrors/pull/policy-verdict.ts";
import { type NodeFile, nodePaths } from "../openshift/machine-config/node-file.ts";

/** Fields whose text is an image: `image`, `releaseImage`, and `ref` of a ClusterCatalog. */
const imageField = /(?:^i|I)mage$|^ref$/;

/** Returns the full names of images in fields of objects, each once. */
export function imagesInUse(objects: readonly KubernetesObject[]): readonly string[] {
  const found = new Set<string>();
  const add = (value: unknown, field: string): void => {
    if (typeof value === "string") {
      const { tag, digest } = (imageField.test(field) && tryParseImageReference(value)) || {};
      if (tag !== undefined || digest !== undefined) found.add(value);
    } else if (Array.isArray(value)) for (const one of value) add(one, field);
    else if (isRecord(value)) for (const [name, one] of Object.entries(value)) add(one, name);
  };
  add(objects, "");
  return [...found];
}

function rulesIn(files: readonly NodeFile[]): PolicyRules | undefined {
  const file = files.find(({ path }) => path === nodePaths.policy);
  const rules = file ? readPolicyRules(file.contents) : { default: [], docker: {} };
  return "problem" in rules ? undefined : rules;
}

/** Returns those of the images that need a signature by the files of a node after a change, and needed another or none before. */
export function newlySigned(
  images: readonly string[],
  before: readonly NodeFile[],
  after: readonly NodeFile[],
): readonly string[] {
  const [old, now] = [rulesIn(before), rulesIn(after)];
  return images.filter((image) => {
    const reference = tryParseImageReference(image);
    if (!old || !now || !reference) return false;
    const policy = findPolicy(now, reference);
    return (
      policy.verdict === "signature" &&
      !isSameJson(policy.requirements, findPolicy(old, reference).requirements)
    );
  });
}
