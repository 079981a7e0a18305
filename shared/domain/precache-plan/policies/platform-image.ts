import { imageProblem } from "../../images/image-name.ts";
import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { isRecord, type UnknownRecord } from "../../kubernetes/json/values.ts";
import { type KubernetesObject, namespacedName } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { hasTemplate, objectsIn, placeholder, policyObjects } from "./policy-objects.ts";
import { type GraphLookup, graphUrl, releaseImage } from "./update-graph.ts";

type Release = Readonly<{
  isFound: boolean;
  upstream: string;
  channel: string;
  version: string;
  image: string;
}>;

type Field = "upstream" | "channel" | "version" | "image";
const fields: readonly Field[] = ["upstream", "channel", "version", "image"];

/** Why there is no release image, in TALM's words. `isGraphMissing` is true if the update graph is the cause. */
export type NoPlatformImage = Readonly<{ ok: false; message: string; isGraphMissing?: boolean }>;

/** A release image (empty if the policies have no ClusterVersion), or the reason why none can be determined. */
export type PlatformImage = Readonly<{ ok: true; image: string; version: string }> | NoPlatformImage;

const incomplete =
  "policy with ClusterVersion must have upstream, channel, and version when image is not provided";
const placeholderFound = "templating cluster version fields not supported";
const templateFound = "templatized ClusterVersion fields not supported with precaching";

function fieldsOf({ upstream, channel, desiredUpdate }: UnknownRecord): Readonly<Record<Field, unknown>> {
  const { version, image } = isRecord(desiredUpdate) ? desiredUpdate : {};
  return { upstream, channel, version, image };
}

/** Reports whether an object of a policy is a ClusterVersion. */
export function isClusterVersion({ kind, apiVersion }: UnknownRecord): boolean {
  return (
    kind === "ClusterVersion" &&
    (apiVersion === undefined || /^config\.openshift\.io\//.test(String(apiVersion)))
  );
}

/**
 * The mode `Preflight` (feature gate ClusterUpdatePreflight) only checks an update. Source: github.com/openshift/api,
 * config/v1/types_cluster_version.go.
 */
function isPreflight({ spec }: UnknownRecord): boolean {
  const update = isRecord(spec) ? spec.desiredUpdate : undefined;
  return isRecord(update) && update.mode === "Preflight";
}

/** Returns a warning for each ClusterVersion that only checks an update: its release is not pre-cached. */
export const preflightIssues = (policies: readonly KubernetesObject[]): readonly Issue[] =>
  objectsIn(policies)
    .filter(({ object }) => isClusterVersion(object) && isPreflight(object))
    .map(({ policy, specPath }) =>
      fieldWarning(policy, `${specPath}.desiredUpdate.mode`, "Preflight", {
        code: "PreflightOnly",
        message: "The cluster checks this update without performing it; its release is not pre-cached.",
        remedy: "Remove the mode when the cluster is to be upgraded.",
      }),
    );

/** Returns the release that the ClusterVersions in these policies request together, or why it cannot be read. */
export function readRelease(
  policies: readonly KubernetesObject[],
): Readonly<{ ok: true; release: Release }> | NoPlatformImage {
  const merged = { upstream: "", channel: "", version: "", image: "" };
  /** The first policy that sets each field, for messages. */
  const places = new Map<Field, string>();
  const unsupported = (message: string, detail: string): NoPlatformImage => ({
    ok: false,
    message: sentence`${message}: ${detail}`,
  });
  let isFound = false;
  for (const { metadata, spec } of policies) {
    const place = sentence`Policy ${namespacedName(metadata)}`;
    const read = policyObjects(spec);
    if (!read.ok) return read;
    for (const { object } of read.objects) {
      if (!isClusterVersion(object) || isPreflight(object)) continue;
      if (!isRecord(object.spec)) continue;
      const given = fieldsOf(object.spec);
      for (const field of fields) {
        const value = given[field];
        if (typeof value !== "string" || value === "") continue;
        if (value.includes(placeholder))
          return unsupported(placeholderFound, sentence`${field} of ClusterVersion in ${place}`);
        if (merged[field] !== "" && merged[field] !== value)
          return unsupported(
            `platform image defined more then once with conflicting ${field} values`,
            sentence`${merged[field]} in ${places.get(field) ?? ""}, ${value} in ${place}`,
          );
        merged[field] = value;
        if (!places.has(field)) places.set(field, place);
      }
      isFound = true;
    }
  }
  return { ok: true, release: { isFound, ...merged } };
}

function fromGraph({ upstream, channel, version }: Release, lookup: GraphLookup): PlatformImage {
  const query = { upstream, channel, version };
  const response = lookup(query);
  const found = releaseImage(response, query);
  if (!found.ok) return { ...found, isGraphMissing: !response.ok };
  const problem = imageProblem(found.image);
  if (!problem) return { ...found, version };
  const message = sentence`the update graph on url ${graphUrl(query)} has ${found.image} for version ${version}: ${problem.message}`;
  return { ok: false, message, isGraphMissing: true };
}

/** Returns the remedy for a missing release image. `correct` is the remedy if the policies are the cause. */
export function releaseRemedy({ isGraphMissing }: NoPlatformImage, correct: string): string {
  return isGraphMissing
    ? "Make the update graph available there or as a file, or name the image in spec.desiredUpdate.image."
    : correct;
}

/** Returns whether the release in the non-compliant policies is valid and, if not, the reason. */
export function validateRelease(
  policies: readonly KubernetesObject[],
  { preCaching, lookup }: Readonly<{ preCaching: boolean; lookup: GraphLookup }>,
): Readonly<{ ok: true }> | NoPlatformImage {
  const read = readRelease(policies);
  if (!read.ok) return read;
  const { isFound, upstream, channel, version, image } = read.release;
  if (!isFound) return { ok: true };
  if (image !== "")
    return preCaching && hasTemplate(image) ? { ok: false, message: templateFound } : { ok: true };
  if (upstream === "" || channel === "" || version === "") return { ok: false, message: incomplete };
  if ([upstream, channel, version].some(hasTemplate))
    return preCaching ? { ok: false, message: templateFound } : { ok: true };
  return fromGraph(read.release, lookup);
}

/** Returns the release image that these policies request together, or why it cannot be determined. */
export function platformImage(policies: readonly KubernetesObject[], lookup: GraphLookup): PlatformImage {
  const read = readRelease(policies);
  if (!read.ok) return read;
  const { isFound, upstream, channel, image, version } = read.release;
  if (!isFound) return { ok: true, image: "", version: "" };
  const wanted = image === "" ? [upstream, channel, version] : [image];
  if (wanted.includes("")) return { ok: false, message: incomplete };
  if (wanted.some(hasTemplate)) return { ok: false, message: templateFound };
  return image === "" ? fromGraph(read.release, lookup) : { ok: true, image, version };
}
