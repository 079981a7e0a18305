import { isEventId } from "../events/hub-event.ts";
import { isKind, kinds } from "../kubernetes/object.ts";
import { withCorrelation } from "./kept-outcomes.ts";
import type { Action } from "./plan.ts";

/** The id of the hub event that led to the last write of a Kubernetes Event, on that Event. */
export const correlationAnnotation = "hubrelay.dev/correlation-id";

/**
 * Returns the action with the id of the hub event that led to it, so that the hub shows which change led to which write:
 * on a Kubernetes Event, and in the outcomes that the written object keeps. It is never compared, and no write is made
 * for it. An id in another form than that of hub events is not written.
 */
export function correlatedAction(action: Action, correlationId: string | undefined): Action {
  const { verb, object, outcomes = [] } = action;
  if ((verb !== "create" && verb !== "update") || !isEventId(correlationId)) return action;
  const written = withCorrelation(object, outcomes, correlationId);
  if (!isKind(kinds.Event, written)) return { ...action, object: written };
  const annotations = { ...written.metadata.annotations, [correlationAnnotation]: correlationId };
  return { ...action, object: { ...written, metadata: { ...written.metadata, annotations } } };
}
