import { flagIssues, takeOverAnnotation } from "#shared/domain/issues/annotations.ts";
import { annotationIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { fieldsOf } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

const hypershiftFinalizer = "hypershift.openshift.io/finalizer";

/** `own`: hubrelay writes what the cluster needs. `verify`: HyperShift writes it, and hubrelay compares. */
export type Ownership = Readonly<{ mode: "own" | "verify"; reason: string; issues: readonly Issue[] }>;

function isPausedIndefinitely(hostedCluster: KubernetesObject): boolean {
  const { pausedUntil } = fieldsOf(hostedCluster.spec);
  return pausedUntil === "true" || pausedUntil === "True";
}

/**
 * Decides from the evidence on the hub who writes for a hosted cluster. HyperShift puts its finalizer on every
 * hosted cluster that it has seen, and a deployed operator may be about to see a new one. Only a hosted cluster
 * that HyperShift has released, because it is paused indefinitely, can be taken over.
 */
export function ownershipOf(
  hostedCluster: KubernetesObject,
  hypershiftOperator: KubernetesObject | undefined,
): Ownership {
  const { finalizers = [], annotations = {} } = hostedCluster.metadata;
  const issues = flagIssues(hostedCluster, takeOverAnnotation);
  const isHypershiftManaged = finalizers.includes(hypershiftFinalizer);
  if (!isHypershiftManaged && !hypershiftOperator)
    return { mode: "own", reason: "no other owner was found", issues };
  const evidence = isHypershiftManaged ? "its finalizer is present" : "its operator is deployed";
  const reason = `HyperShift writes for it: ${evidence}`;
  const takeOver = annotations[takeOverAnnotation];
  if (takeOver !== "true") return { mode: "verify", reason, issues };
  if (isPausedIndefinitely(hostedCluster))
    return {
      mode: "own",
      reason: `taken over by the annotation ${takeOverAnnotation}; HyperShift is paused`,
      issues: [],
    };
  const refused = annotationIssue(hostedCluster, takeOverAnnotation, {
    code: "TakeOverRefused",
    message: `HyperShift reconciles this hosted cluster (${evidence}) and would overwrite every take-over.`,
    remedy: 'Set spec.pausedUntil to "true" first, or remove the annotation and let hubrelay verify.',
  });
  return { mode: "verify", reason, issues: [refused] };
}
