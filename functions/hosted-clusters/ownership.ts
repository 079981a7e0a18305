import { type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

/** A person sets it to `"true"` on a HostedCluster to hand what HyperShift writes to hubrelay. */
export const takeOverAnnotation = "hubrelay.dev/take-over";
const hypershiftFinalizer = "hypershift.openshift.io/finalizer";

/** `own`: hubrelay writes what the hosted cluster needs. `verify`: HyperShift does, and hubrelay compares and tells. */
export type Ownership = Readonly<{ mode: "own" | "verify"; reason: string; issues: readonly Issue[] }>;

/** True when HyperShift's operators leave the hosted cluster alone for good. */
function isPausedForGood(hostedCluster: KubernetesObject): boolean {
  const { pausedUntil } = Object(hostedCluster.spec);
  return pausedUntil === "true" || pausedUntil === "True";
}

/**
 * Decides from the evidence on the hub who writes for a hosted cluster. HyperShift puts its finalizer on each one
 * that it has seen, and its operator may be about to see a new one. A hosted cluster that is paused for good is one
 * that HyperShift has let go of, and only such a one can be taken over from it.
 */
export function ownershipOf(
  hostedCluster: KubernetesObject,
  hypershiftOperator: KubernetesObject | undefined,
): Ownership {
  const { finalizers = [], annotations = {} } = hostedCluster.metadata;
  const isHypershifts = finalizers.includes(hypershiftFinalizer);
  if (!isHypershifts && !hypershiftOperator)
    return { mode: "own", reason: "no other owner was found", issues: [] };
  const evidence = isHypershifts ? "its finalizer is there" : "its operator is deployed";
  const reason = `HyperShift writes for it: ${evidence}`;
  const takeOver = annotations[takeOverAnnotation];
  if (takeOver !== "true") return { mode: "verify", reason, issues: [] };
  if (isPausedForGood(hostedCluster))
    return {
      mode: "own",
      reason: `taken over by the annotation ${takeOverAnnotation}; HyperShift is paused`,
      issues: [],
    };
  const refused: Issue = {
    code: "TakeOverRefused",
    severity: "error",
    object: issueObject(hostedCluster),
    path: `metadata.annotations["${takeOverAnnotation}"]`,
    value: takeOver,
    message: `HyperShift reconciles this hosted cluster (${evidence}) and would overwrite every take-over.`,
    remedy: 'Set spec.pausedUntil to "true" first, or remove the annotation and let hubrelay verify.',
  };
  return { mode: "verify", reason, issues: [refused] };
}
