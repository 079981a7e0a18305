import { type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import type { Send } from "#shared/domain/plan/plan.ts";
import { isChecking } from "#shared/domain/precache-model/check-record.ts";
import { feedbackQueue } from "#shared/domain/precache-model/cluster-event.ts";
import type { Records } from "#shared/domain/precache-model/cluster-record.ts";
import type { PlannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { checkDeadline } from "#shared/domain/precache-progress/cluster-check.ts";
import { nextDeadline, nextRefresh } from "#shared/domain/precache-progress/deadlines.ts";
import type { Snapshot } from "./observe.ts";

/** The limit of a message delay is 15 minutes; this is slightly less, so that it arrives in time. */
const maxDelayMs = 890_000;
/** A message that arrives this much before its time is the one that was sent for it: clocks differ. */
const clockSkewMs = 1_000;

/** Returns when a deadline changes something, or the clusters have to be read again. */
export function nextReconcile(
  records: Records,
  { timeoutMinutes }: PlannedUpgrade,
  now: Date,
  isChanging: boolean,
): Date | undefined {
  let next = nextRefresh(records.values(), now, isChanging);
  for (const record of records.values()) {
    const due = isChecking(record) ? checkDeadline(record.check) : nextDeadline(record, timeoutMinutes);
    if (due && (!next || due < next)) next = due;
  }
  return next;
}

/**
 * At most one message for later is in the queue. Otherwise every reconcile would send another, and thousands would
 * circulate. Its time is stored in the report, and replaced when it has passed or is too late.
 */
export function scheduled(
  planned: Date | undefined,
  due: Date | undefined,
  now: Date,
): Readonly<{ at?: Date; isNew: boolean }> {
  if (!due) return { isNew: false };
  const wanted = Math.min(
    now.getTime() + maxDelayMs,
    Math.max(due.getTime(), now.getTime() + 2 * clockSkewMs),
  );
  const isWaiting = planned && planned.getTime() > now.getTime() + clockSkewMs;
  const isValid = isWaiting && planned.getTime() <= wanted + 5_000;
  return isValid ? { at: planned, isNew: false } : { at: new Date(wanted), isNew: true };
}

/** Returns the message that starts the reconcile at this time. */
export function laterMessage(cgu: KubernetesObject, at: Date, { now, hubId }: Snapshot): Send {
  const delaySeconds = Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1000));
  const events = [hubEvent("add", referenceTo(cgu), { source: hubId })];
  return { queue: feedbackQueue, events, delaySeconds, reason: "its clusters are read again" };
}
