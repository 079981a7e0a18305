import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { functionLabel } from "#shared/domain/plan/object-events.ts";

/** A function's report, from its Kubernetes Event. */
export type ObjectReport = Readonly<{
  function: string;
  isWarning: boolean;
  reason: string;
  message: string;
  /** `since` is the first time of the report, `last` its latest. */
  since: Date | undefined;
  last: Date | undefined;
  count: number;
}>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Parses a time in an object; undefined if it is missing or invalid. */
export function dateOf(value: unknown): Date | undefined {
  const time = Date.parse(text(value));
  return Number.isNaN(time) ? undefined : new Date(time);
}

/** Reads a function's Kubernetes Event. */
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
