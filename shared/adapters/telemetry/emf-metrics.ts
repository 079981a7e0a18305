import type { Log, LogEntry } from "../../ports/log.ts";
import { instruments, type MetricName, measuredOfFleet, measurementsOf } from "./log-metrics.ts";

const namespace = "hubrelay";
/**
 * The entries that end an invocation; its measurements are then written in one line. A tick reads the heartbeat first: if
 * the rest of the tick fails, an alarm for absent data would wrongly blame the forwarder.
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
const ofHub: ReadonlySet<string> = new Set([...worstOfHub, ...measuredOfFleet]);
/**
 * Values that neither AWS's own metrics of queues and functions nor existing alarms count. CloudWatch charges for each
 * metric of each function.
 */
const essential: ReadonlySet<MetricName> = new Set(["hubrelay_event_age_seconds", ...worstOfHub]);
/** The limit of values per metric in one line of the embedded metric format. */
const maxValues = 100;

function unitOf(name: MetricName): "Seconds" | "Count" | "None" {
  if (name.endsWith("_ratio")) return "None";
  return name.endsWith("_seconds") ? "Seconds" : "Count";
}

/** Returns the sum for counters; for other metrics all values, so that CloudWatch can compute maximum and percentiles. */
function shownValue(name: MetricName, values: readonly number[]): number | readonly number[] {
  if (instruments[name].type !== "counter") return values.slice(0, maxValues);
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * Returns a log whose entries become CloudWatch metrics: one line of the embedded metric format per invocation, with the
 * names of the Prometheus metrics. The only dimension is the function or the hub, since CloudWatch charges for each
 * combination of dimensions; kinds and codes are only in the log. Only the essential values become metrics; the others are
 * fields of the same line, which log queries find. `write` gets each line without its line end.
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
      measured.set(name, [...(measured.get(name) ?? []), value]);
    if (!endings.has(entry.event) || measured.size === 0) return;
    const values = [...measured];
    measured = new Map();
    const metrics = values.map(([name]) => name).filter((name) => essential.has(name));
    const byDimension = Map.groupBy(metrics, (name) => (ofHub.has(name) ? "hub" : "function"));
    const CloudWatchMetrics = [...byDimension].map(([dimension, names]) => ({
      Namespace: namespace,
      Dimensions: [[dimension]],
      Metrics: names.map((name) => ({ Name: name, Unit: unitOf(name) })),
    }));
    write(
      JSON.stringify({
        ...(metrics.length > 0 ? { _aws: { Timestamp: now().getTime(), CloudWatchMetrics } } : {}),
        function: functionName,
        hub,
        ...Object.fromEntries(values.map(([name, all]) => [name, shownValue(name, all)])),
      }),
    );
  };
}
