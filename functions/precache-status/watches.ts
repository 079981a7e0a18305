import type { Verb } from "#shared/domain/events/hub-event.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { feedbackOf, readFeedback, type WorkFeedback } from "#shared/domain/precache/work/feedback.ts";
import { isFinished } from "#shared/domain/precache/work/run-state.ts";
import { isWorkName, workLabels } from "#shared/domain/precache/work/work-identity.ts";
import type { Watches } from "#shared/runtime/controller.ts";

/** The queue for agent feedback and for changes of ClusterGroupUpgrades. */
export const feedbackQueue = "precache-feedback";

/**
 * The key of ManifestWorks that another event source names without feedback: they are read, and sent again with it.
 */
export const worksKey = "works";

/** The removal of a run after its end is not a change. */
export function relevantFeedback(work: KubernetesObject, verb?: Verb): WorkFeedback | undefined {
  const feedback = feedbackOf(work);
  const isGoing = verb === "delete" || (verb === "update" && feedback?.isDeleting);
  return isGoing && feedback && isFinished(feedback) ? undefined : feedback;
}

/**
 * Triggered by ClusterGroupUpgrades and by their ManifestWorks, whose events carry the feedback. The changes of one
 * second are handled together: one write for all clusters that have changed.
 */
export const precacheStatusWatches: Watches = {
  name: "precache-status",
  queue: feedbackQueue,
  timeoutSeconds: 60,
  kinds: [kinds.ClusterGroupUpgrade],
  feedback: { kind: kinds.ManifestWork, label: workLabels.cgu, of: relevantFeedback },
  batch: { size: 2_000, windowSeconds: 1 },
  mapToKey(reference, carried) {
    if (isKind(kinds.ClusterGroupUpgrade, reference) && !reference.cluster)
      return `${reference.namespace ?? ""}/${reference.name}`;
    if (!isKind(kinds.ManifestWork, reference)) return undefined;
    const feedback = readFeedback(carried);
    if (feedback) return `${feedback.run.cgu.namespace}/${feedback.run.cgu.name}`;
    return isWorkName(reference.name) ? worksKey : undefined;
  },
};
