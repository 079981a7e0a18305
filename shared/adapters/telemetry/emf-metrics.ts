import type { Log, LogEntry } from "../../ports/log.ts";
import { type MetricName, measurementsOf } from "./metrics.ts";

const namespace = "hubrelay";
/** After these events, all measurements are written; `heartbeat-read` is one, as its tick may fail later. */
const endings: ReadonlySet<LogEntry["event"]> = new Set(["handled", "heartbeat-read", "fleet-measured"]);
/** Written once for the whole hub, since an alarm needs only the worst value. */
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
/** Only these metrics are written, because CloudWatch charges for each metric of each function. */
const essential: ReadonlySet<MetricName> = new Set(["hubrelay_event_age_seconds", ...worstOfHub]);
/** The maximum number of values per metric in one line of the embedded metric format. */
const maxValues = 100;

function unitOf(name: MetricName): "Seconds" | "Count" | "None" {
  if (name.endsWith("_ratio")) return "None";
  return name.endsWith("_seconds") ? "Seconds" : "Count";
}

/** Returns a log that writes CloudWatch metrics from its entries. The only dimension is the function or the hub. */
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
