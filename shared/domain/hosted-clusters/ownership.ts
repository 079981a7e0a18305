import { flagIssues, notHandedOver, takeOverAnnotation } from "../issues/annotations.ts";
import { annotationIssue, type Issue } from "../issues/issue.ts";
import { fieldsOf } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { fromMirrorsIssues } from "./olm-catalogs/default-catalogs.ts";

const hypershiftFinalizer = "hypershift.openshift.io/finalizer";

/** `own`: hubrelay writes what the cluster needs. `verify`: it compares with what HyperShift should write. */
export type Ownership = Readonly<{
  mode: "own" | "verify";
  reason: string;
  /** Nobody writes for it. */
  isNotHandedOver?: true;
  issues: readonly Issue[];
}>;

/** Reports whether hubrelay writes for a hosted cluster, judged by the object alone. */
export function isOwned(hostedCluster: KubernetesObject): boolean {
  return ownershipOf(hostedCluster, undefined).mode === "own";
}

function isPausedIndefinitely(hostedCluster: KubernetesObject): boolean {
  const { pausedUntil } = fieldsOf(hostedCluster.spec);
  return pausedUntil === "true" || pausedUntil === "True";
}

/**
 * Decides who writes for a hosted cluster: hubrelay if its annotation says so. That is refused while HyperShift writes:
 * it puts its finalizer on every hosted cluster that it has seen, and a deployed operator may be about to see a new one.
 * It releases only what is paused indefinitely.
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

/** Returns the errors about annotations of a HostedCluster by which users request something from hubrelay. */
export function requestIssues(hostedCluster: KubernetesObject): readonly Issue[] {
  return [...flagIssues(hostedCluster, takeOverAnnotation), ...fromMirrorsIssues(hostedCluster)];
}
