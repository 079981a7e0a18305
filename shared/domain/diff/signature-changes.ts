import { isRecord, isSameJson, withoutRepeats } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type NodeFile, namespacePolicyPath, nodePaths } from "../openshift/machine-config/node-file.ts";
import type { JudgedImage } from "../ready/judge.ts";
import { type ImageRoute, imageRoutes } from "../ready/locations.ts";
import type { SignatureVerdict } from "../ready/verify-signatures.ts";
import { sentence } from "../text/redact.ts";
import type { PolicyChange } from "./policy-change.ts";

/** An image in the spec of an object, and the namespace of the object. */
type UsedImage = Readonly<{ image: string; namespace: string | undefined }>;

/** Returns the images in the specs of objects; each once for each namespace. */
export function imagesInUse(objects: readonly KubernetesObject[]): readonly UsedImage[] {
  const found: UsedImage[] = [];
  const add = (value: unknown, field: string, namespace: string | undefined): void => {
    if (typeof value === "string") {
      if (/(?:^i|I)mage$/.test(field) && value !== "") found.push({ image: value, namespace });
    } else if (Array.isArray(value)) for (const one of value) add(one, field, namespace);
    else if (isRecord(value)) for (const [name, one] of Object.entries(value)) add(one, name, namespace);
  };
  for (const { spec, metadata } of objects) add(spec, "", metadata.namespace);
  return withoutRepeats(found);
}

/** The routes of an image on both sides, for pods in a namespace with its own policy or, if undefined, in all others. */
export type RoutePair = Readonly<{ namespace: string | undefined; before: ImageRoute; after: ImageRoute }>;

const requirementsOf = ({ locations }: ImageRoute) =>
  withoutRepeats(locations.map(({ name, signing }) => ({ name, requirements: signing?.requirements ?? [] })));

/** Returns the routes of the images whose locations or required signatures differ between the sides. */
export function changedSigning(
  images: readonly UsedImage[],
  before: readonly NodeFile[],
  after: readonly NodeFile[],
): readonly RoutePair[] {
  const paths = new Set([...before, ...after].map(({ path }) => path));
  const policyOf = ({ namespace }: UsedImage) =>
    namespace !== undefined && paths.has(namespacePolicyPath(namespace)) ? namespace : undefined;
  return [...Map.groupBy(images, policyOf)].flatMap(([namespace, own]) => {
    const options = namespace === undefined ? {} : { namespace };
    const [routeBefore, routeAfter] = [imageRoutes(before, options), imageRoutes(after, options)];
    return [...new Set(own.map(({ image }) => image))].flatMap((image): readonly RoutePair[] => {
      const [was, is] = [routeBefore(image), routeAfter(image)];
      if ("problem" in was || "problem" in is) return [];
      return isSameJson(requirementsOf(was), requirementsOf(is))
        ? []
        : [{ namespace, before: was, after: is }];
    });
  });
}

/** What registries responded about an image, and the verdict on its signatures where nodes pull it. */
export type CheckedSignatures = Readonly<{ image: JudgedImage; signatures: SignatureVerdict | undefined }>;

/** Returns whether nodes pull an image, or undefined if registries or the signature leave it open. */
function isPulled({ image: { status, tried }, signatures }: CheckedSignatures): boolean | undefined {
  if (status === "unsigned" || tried.every(({ result }) => result === "skipped")) return false;
  const isFound = status === "ready" || status === "source-only";
  return isFound && signatures?.state !== "unchecked" ? true : undefined;
}

/**
 * Returns the change for an image by what registries responded on both sides; undefined if nodes pull or refuse it as
 * before, if they pull it now and it was unknown before, or if it is unknown now and needs no signature.
 */
export function signatureChange(
  { namespace, after: route }: RoutePair,
  before: CheckedSignatures,
  after: CheckedSignatures,
): PolicyChange | undefined {
  const { image, status, tried } = after.image;
  const [was, is] = [isPulled(before), isPulled(after)];
  const isRequired = route.locations.some(({ signing }) => signing);
  if (is === undefined ? !isRequired : is === was || (is && was === undefined)) return undefined;
  const asked = tried.filter(({ result }) => result !== "skipped");
  const reason = [...tried, ...asked].findLast(({ detail }) => detail !== "")?.detail ?? status;
  const where = namespace === undefined ? "" : sentence` in namespace ${namespace}`;
  const change = {
    path: namespace === undefined ? nodePaths.policy : namespacePolicyPath(namespace),
    scope: image,
    before: was === false ? "reject" : "accept",
  } as const;
  if (is === undefined) {
    const text = sentence`${image}${where}: unknown whether nodes still pull it, since ${reason}`;
    return { ...change, after: "signature", effect: "other", text };
  }
  if (is)
    return {
      ...change,
      after: "accept",
      effect: "weaker",
      text: sentence`${image}${where}: nodes pull it, and refused it before`,
    };
  return {
    ...change,
    after: "reject",
    effect: "stricter",
    text: sentence`${image}${where}: nodes refuse it: ${reason}`,
  };
}
