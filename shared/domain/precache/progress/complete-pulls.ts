import { object, required, time, type ValueOf, whole } from "../../fields/field.ts";
import type { ClusterRecord } from "./cluster-record.ts";

/** What the last complete run of a cluster has pulled, and when. */
export const completePull = object({
  bytes: required(whole({ minimum: 1, format: "int64" })),
  from: required(time()),
  until: required(time()),
});

export type CompletePull = NonNullable<ValueOf<typeof completePull>>;

/** A shorter time says little: reports are some seconds old. */
const minSeconds = 20;

/** Returns what a run that has succeeded has pulled since its first report; undefined where that says nothing. */
export function completePullOf(record: ClusterRecord): CompletePull | undefined {
  const { state, pullStart, bytesDone = 0, since } = record;
  if (state !== "Succeeded" || !pullStart) return undefined;
  const bytes = bytesDone - pullStart.bytes;
  const seconds = (Date.parse(since) - Date.parse(pullStart.at)) / 1000;
  return bytes > 0 && seconds >= minSeconds ? { bytes, from: pullStart.at, until: since } : undefined;
}
