import type { Verb } from "#shared/domain/events/hub-event.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { feedbackOf, readFeedback, type WorkFeedback } from "#shared/domain/precache/work/feedback.ts";
import { isFinished } from "#shared/domain/precache/work/run-state.ts";
import { workLabels } from "#shared/domain/precache/work/work-identity.ts";
import type { Interest } from "#shared/shell/reaction.ts";

/** The queue of what agents report, and of changes of ClusterGroupUpgrades. */
export const feedbackQueue = "precache-feedback";

/** That a run is taken away after its end is no news: the end was. */
function newsOf(work: KubernetesObject, verb?: Verb): WorkFeedback | undefined {
  const feedback = feedbackOf(work);
  const isGoing = verb === "delete" || (verb === "update" && feedback?.isDeleting);
  return isGoing && feedback && isFinished(feedback) ? undefined : feedback;
}

/**
 * Woken by ClusterGroupUpgrades and by the ManifestWorks that were made for them, whose events bring along what is
 * to be known. The news of a second are told together: one write for all clusters that have moved.
 */
export const precacheStatusInterest: Interest = {
  name: "precache-status",
  queue: feedbackQueue,
  kinds: [kinds.ClusterGroupUpgrade],
  feedback: { kind: kinds.ManifestWork, label: workLabels.cgu, of: newsOf },
  batch: { size: 2_000, windowSeconds: 1 },
  keyOf(reference, told) {
    if (isKind(kinds.ClusterGroupUpgrade, reference) && !reference.cluster)
      return `${reference.namespace ?? ""}/${reference.name}`;
    const feedback = isKind(kinds.ManifestWork, reference) ? readFeedback(told) : undefined;
    return feedback && `${feedback.run.cgu.namespace}/${feedback.run.cgu.name}`;
  },
};
