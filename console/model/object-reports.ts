import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { functionLabel } from "#shared/domain/plan/object-events.ts";

/** What a function has reported as a Kubernetes Event. */
export type ObjectReport = Readonly<{
  function: string;
  isWarning: boolean;
  reason: string;
  message: string;
  /** When it was reported first, and last. */
  since: Date | undefined;
  last: Date | undefined;
  count: number;
}>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reads a time of an object. */
export function dateOf(value: unknown): Date | undefined {
  const time = Date.parse(text(value));
  return Number.isNaN(time) ? undefined : new Date(time);
}

/** Reads a Kubernetes Event of a function. */
export function readObjectReport({ metadata, ...event }: KubernetesObject): ObjectReport {
  const { type, reason, message, firstTimestamp, lastTimestamp, count } = event;
  return {
    function: metadata.labels?.[functionLabel] ?? "",
    isWarning: type === "Warning",
    reason: text(reason),
    message: text(message),
    since: dateOf(firstTimestamp),
    last: dateOf(lastTimestamp),
    count: typeof count === "number" ? count : 1,
  };
}
