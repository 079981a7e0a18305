import type { Log, LogEntry } from "../../ports/log.ts";
import { type MetricName, measurementsOf } from "./metrics.ts";

const namespace = "hubrelay";
/**
 * The log events after which all measurements so far are written as one line. After `heartbeat-read` the tick still
 * continues and may fail; without the line, the forwarder would then seem to have failed.
 */
const endings: ReadonlySet<LogEntry["event"]> = new Set(["handled", "heartbeat-read", "fleet-measured"]);
/** Metrics that are aggregated per hub instead of per function, upgrade or kind: an alarm needs only the worst value. */
const worstOfHub: readonly MetricName[] = [
  "hubrelay_forward_silent_seconds",
  "hubrelay_login_remaining_seconds",
  "hubrelay_clock_difference_seconds",
  "hubrelay_upgrade_failed_ratio",
  "hubrelay_upgrade_late_clusters",
  "hubrelay_upgrade_not_ready_opening_seconds",
  "hubrelay_held_seconds",
  "hubrelay_registry_access_remaining_seconds",
];
/**
 * The metrics that are written for CloudWatch, which charges for each metric of each function. The other values are in
 * AWS's own metrics of queues and functions, and in the log.
 */
const essential: ReadonlySet<MetricName> = new Set(["hubrelay_event_age_seconds", ...worstOfHub]);
/** The limit of values per metric in one line of the embedded metric format. */
const maxValues = 100;

function unitOf(name: MetricName): "Seconds" | "Count" | "None" {
  if (name.endsWith("_ratio")) return "None";
  return name.endsWith("_seconds") ? "Seconds" : "Count";
}

/**
 * Returns a log whose entries become CloudWatch metrics: one line of the embedded metric format per invocation, with the
 * names of the Prometheus metrics. The only dimension is the function or the hub, since CloudWatch charges for each
 * combination of dimensions; kinds and codes are only in the log. `write` gets each line without its line end.
 */
export function emfMetrics(
  write: (line: string) => void,
  {
    functionName,
    hub,
    now = () => new Date(),
  }: Readonly<{ functionName: string; hub: string; now?: () => Date }>,
): Log {
  let measured = new Map<MetricName, number[]>();
  return (entry) => {
    for (const { name, value } of measurementsOf(entry))
      if (essential.has(name)) measured.set(name, [...(measured.get(name) ?? []), value]);
    if (!endings.has(entry.event) || measured.size === 0) return;
    const byDimension = Map.groupBy(measured.keys(), (name) =>
      worstOfHub.includes(name) ? "hub" : "function",
    );
    const CloudWatchMetrics = [...byDimension].map(([dimension, names]) => ({
      Namespace: namespace,
      Dimensions: [[dimension]],
      Metrics: names.map((name) => ({ Name: name, Unit: unitOf(name) })),
    }));
    // The values are not aggregated here, so that CloudWatch can compute maximum and percentiles.
    const values = [...measured].map(([name, all]) => [name, all.slice(0, maxValues)] as const);
    measured = new Map();
    write(
      JSON.stringify({
        _aws: { Timestamp: now().getTime(), CloudWatchMetrics },
        function: functionName,
        hub,
        ...Object.fromEntries(values),
      }),
    );
  };
}
