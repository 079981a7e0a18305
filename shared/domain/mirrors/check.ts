import type { Issue } from "../issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { byCodeUnit } from "../order.ts";
import type { ImageReference } from "./image-reference.ts";
import { readMirrorObjects } from "./read.ts";
import { type ListedScope, type RegistrySources, readRegistrySources } from "./read-image.ts";
import { findReleaseImage, unknownReleaseImage } from "./release-image.ts";
import type { MirrorRule } from "./rules.ts";
import { type Judge, validateRules } from "./validate.ts";
import { validateScopes } from "./validate-scopes.ts";

/** The input that can be rendered, and what is to tell about the rest. */
export type CheckedInput = Readonly<{
  rules: readonly MirrorRule[];
  /** Rules that cannot be used. */
  leftOut: number;
  conflictingSources: ReadonlySet<string>;
  /** Some mirror object exists, though perhaps without a usable rule. */
  hasMirrorObjects: boolean;
  /** The lists as they were given, and what of them can be used. */
  sources: RegistrySources;
  insecure: readonly ListedScope[];
  blocked: readonly ListedScope[];
  payload: ImageReference | undefined;
  /** Registries are to be blocked, and it cannot be told whether the release payload comes from one. */
  isPayloadUnknown: boolean;
  /** In the order in which machine-config-operator would meet them. */
  issues: readonly Issue[];
}>;

const kindOrder = ["ImageDigestMirrorSet", "ImageContentSourcePolicy", "ImageTagMirrorSet"];

/** By kind, namespace and name, so that nothing in the answer depends on the order of the input. */
function inStableOrder(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return [...objects].sort(
    (a, b) =>
      kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) ||
      byCodeUnit(a.metadata.namespace ?? "", b.metadata.namespace ?? "") ||
      byCodeUnit(a.metadata.name, b.metadata.name),
  );
}

/** Reads and validates everything; an issue here concerns one object alone or the rules of one source. */
export function checkInput(
  input: Readonly<{
    objects: readonly KubernetesObject[];
    image?: KubernetesObject;
    clusterVersion?: KubernetesObject;
    releaseImage?: string;
  }>,
  judge: Judge,
): CheckedInput {
  // What machine-config-operator reports depends on the order it is given; what hubrelay says must not.
  const read = readMirrorObjects(judge === "mco" ? input.objects : inStableOrder(input.objects));
  const validated = validateRules(read.rules, judge);
  const { sources, issues: imageIssues } = readRegistrySources(input.image);
  const insecure = validateScopes(input.image, "insecure", sources.insecure ?? [], judge);
  const blocked = validateScopes(input.image, "blocked", sources.blocked ?? [], judge);

  const { payload, isUnknown } = findReleaseImage(input.clusterVersion, input.releaseImage);
  const isPayloadUnknown = isUnknown && blocked.usable.length > 0;
  const severity = judge === "mco" || isPayloadUnknown ? "error" : "warning";
  const releaseIssues = isUnknown
    ? [unknownReleaseImage(input.clusterVersion, input.releaseImage, severity)]
    : [];

  return {
    rules: validated.usable,
    leftOut: validated.refused.length + read.unreadable,
    conflictingSources: validated.conflictingSources,
    hasMirrorObjects: read.objects.length > 0,
    sources,
    insecure: insecure.usable,
    blocked: blocked.usable,
    payload,
    isPayloadUnknown,
    issues: [
      ...releaseIssues,
      ...read.issues,
      ...imageIssues,
      ...insecure.issues,
      ...blocked.issues,
      ...validated.issues,
    ],
  };
}
