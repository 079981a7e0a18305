import { type OutcomeEvent, outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import { maxListed } from "#shared/domain/issues/issue.ts";
import { type KubernetesObject, namespacedName } from "#shared/domain/kubernetes/object.ts";
import type { StoredReadiness } from "#shared/domain/ready/record/readiness-report.ts";
import { isReady } from "#shared/domain/ready/report.ts";

/** Returns the outcome of a report whose images have become ready, or are not. */
export function readinessOutcome(
  hubId: string,
  cgu: KubernetesObject,
  { revision, ready, since, message, images, records }: StoredReadiness,
): OutcomeEvent {
  const { namespace = "", name, uid } = cgu.metadata;
  const notReady = images.flatMap((image) => {
    const { status } = records.get(image) ?? {};
    return status === undefined || isReady(status, false) ? [] : [{ image, status }];
  });
  return outcomeEvent({
    type: `dev.hubrelay.precache.images-${ready === "True" ? "ready" : "not-ready"}`,
    source: hubId,
    subject: namespacedName(cgu.metadata),
    from: `${uid ?? ""} ${revision} ${since}`,
    at: since,
    data: {
      cgu: { namespace, name, ...(uid ? { uid } : {}) },
      revision,
      message,
      imagesTotal: images.length,
      notReadyCount: notReady.length,
      notReady: notReady.slice(0, maxListed),
    },
  });
}
