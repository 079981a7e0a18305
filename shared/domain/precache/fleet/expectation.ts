import { sentence } from "../../credentials/redact.ts";
import { duration } from "../../text/human-readable.ts";
import { timeUntil } from "../../text/relative-times.ts";
import { isIncomplete } from "../model/run-reason.ts";
import type { Grouped } from "./cluster-group.ts";
import type { FleetStatus } from "./fleet-status.ts";

/** Returns when the last cluster is expected to end, in the form that `timeText` gives times, and what that depends on. */
export function expectation(
  { estimatedEnd, ended, total }: FleetStatus,
  grouped: Grouped,
  now: Date,
  timeText: (time: Date, now: Date) => string = timeUntil,
): string {
  if (total === 0) return "nothing to wait for";
  if (ended === total) {
    const incomplete = grouped.get("done")?.filter(isIncomplete).length ?? 0;
    return incomplete === 0 ? "all have ended" : `all have ended, ${incomplete} of them incomplete`;
  }
  const offline = grouped.get("offline") ?? [];
  const deadlines = offline.flatMap(({ deadline }) => (deadline ? [Date.parse(deadline)] : []));
  const last = Math.max(...deadlines);
  const due =
    last > now.getTime()
      ? sentence`, deadline in ${duration(Math.round((last - now.getTime()) / 1000))}`
      : "";
  const outside = grouped.get("outside its window")?.length ?? 0;
  const waits = [
    ...(outside > 0 ? [`${outside} outside ${outside === 1 ? "its window" : "their window"}`] : []),
    ...(offline.length > 0 ? [sentence`${offline.length} offline${due}`] : []),
  ].join(" and ");
  const isMoving = grouped.has("pulling") || grouped.has("waiting");
  if (!isMoving && waits !== "") return sentence`waits for ${waits}`;
  const eta = estimatedEnd ? sentence`ETA ${timeText(new Date(estimatedEnd), now)}` : "no ETA yet";
  return waits === "" ? eta : sentence`${eta}, without ${waits}`;
}
