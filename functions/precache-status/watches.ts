import type { Verb } from "#shared/domain/events/hub-event.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { feedbackOf, readFeedback, type WorkFeedback } from "#shared/domain/precache/work/feedback.ts";
import { isFinished } from "#shared/domain/precache/work/run-state.ts";
import { isWorkName, workLabels } from "#shared/domain/precache/work/work-identity.ts";
import type { Watches } from "#shared/runtime/controller.ts";

/** The queue of what agents report, and of changes of ClusterGroupUpgrades. */
export const feedbackQueue = "precache-feedback";

/** ManifestWorks that another event source names, without what they tell: they are read, and named with it. */
export const worksKey = "works";

/** That a run is taken away after its end is no news: the end was. */
export function newsOf(work: KubernetesObject, verb?: Verb): WorkFeedback | undefined {
  const feedback = feedbackOf(work);
  const isGoing = verb === "delete" || (verb === "update" && feedback?.isDeleting);
  return isGoing && feedback && isFinished(feedback) ? undefined : feedback;
}

/**
 * Woken by ClusterGroupUpgrades and by the ManifestWorks that were made for them, whose events bring along what is
 * to be known. The news of a second are told together: one write for all clusters that have moved.
 */
export const precacheStatusWatches: Watches = {
  name: "precache-status",
  queue: feedbackQueue,
  timeoutSeconds: 60,
  kinds: [kinds.ClusterGroupUpgrade],
  feedback: { kind: kinds.ManifestWork, label: workLabels.cgu, of: newsOf },
  batch: { size: 2_000, windowSeconds: 1 },
  mapToKey(reference, told) {
    if (isKind(kinds.ClusterGroupUpgrade, reference) && !reference.cluster)
      return `${reference.namespace ?? ""}/${reference.name}`;
    if (!isKind(kinds.ManifestWork, reference)) return undefined;
    const feedback = readFeedback(told);
    if (feedback) return `${feedback.run.cgu.namespace}/${feedback.run.cgu.name}`;
    return isWorkName(reference.name) ? worksKey : undefined;
  },
};
