import { flagIssues, notHandedOver, takeOverAnnotation } from "../issues/annotations.ts";
import { annotationIssue, type Issue } from "../issues/issue.ts";
import { fieldsOf } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { fromMirrorsIssues } from "./olm-catalogs/default-catalogs.ts";

const hypershiftFinalizer = "hypershift.openshift.io/finalizer";

/** `own`: hubrelay writes a hosted cluster's objects. `verify`: hubrelay only compares them with the expected ones. */
export type Ownership = Readonly<{
  mode: "own" | "verify";
  reason: string;
  /** Set if neither hubrelay nor HyperShift writes the cluster's objects. */
  isNotHandedOver?: true;
  issues: readonly Issue[];
}>;

/** Reports whether hubrelay writes a hosted cluster's objects. Assumes that HyperShift's operator is not deployed. */
export function isOwned(hostedCluster: KubernetesObject): boolean {
  return ownershipOf(hostedCluster, undefined).mode === "own";
}

function isPausedIndefinitely(hostedCluster: KubernetesObject): boolean {
  const { pausedUntil } = fieldsOf(hostedCluster.spec);
  return pausedUntil === "true" || pausedUntil === "True";
}

/**
 * Returns who writes a hosted cluster's objects. hubrelay does if the take-over annotation requests it, and HyperShift
 * does not write them or the cluster is paused indefinitely. HyperShift is assumed to write them if its finalizer is
 * present or its operator is deployed: a new cluster may not have the finalizer yet.
 */
export function ownershipOf(
  hostedCluster: KubernetesObject,
  hypershiftOperator: KubernetesObject | undefined,
): Ownership {
  const { finalizers = [], annotations = {} } = hostedCluster.metadata;
  const issues = flagIssues(hostedCluster, takeOverAnnotation);
  const isHypershiftManaged = finalizers.includes(hypershiftFinalizer);
  const evidence = isHypershiftManaged ? "its finalizer is present" : "its operator is deployed";
  const hasWriter = isHypershiftManaged || hypershiftOperator !== undefined;
  const reason = `HyperShift writes for it: ${evidence}`;
  if (annotations[takeOverAnnotation] !== "true")
    return hasWriter
      ? { mode: "verify", reason, issues }
      : { mode: "verify", reason: notHandedOver(hostedCluster), isNotHandedOver: true, issues };
  if (!hasWriter || isPausedIndefinitely(hostedCluster))
    return { mode: "own", reason: `handed over by the annotation ${takeOverAnnotation}`, issues };
  const refused = annotationIssue(hostedCluster, takeOverAnnotation, {
    code: "TakeOverRefused",
    message: `HyperShift reconciles this hosted cluster (${evidence}) and would overwrite every take-over.`,
    remedy: 'Set spec.pausedUntil to "true" first, or remove the annotation and let hubrelay verify.',
  });
  return { mode: "verify", reason, issues: [refused] };
}

/** Returns the errors in the annotations of a HostedCluster that control hubrelay. */
export function requestIssues(hostedCluster: KubernetesObject): readonly Issue[] {
  return [...flagIssues(hostedCluster, takeOverAnnotation), ...fromMirrorsIssues(hostedCluster)];
}
