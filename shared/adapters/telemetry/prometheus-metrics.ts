import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Log } from "../../ports/log.ts";
import { instruments, type Measurement, type MetricName, measurementsOf } from "./log-metrics.ts";

export type PrometheusMetrics = Readonly<{
  /** A log whose entries are counted, under the name of the function or process that writes them. */
  log(functionName: string): Log;
  contentType: string;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
}>;

/** Notes one measurement of a function. */
type Note = (functionName: string, measurement: Measurement) => void;

function noteOf(name: MetricName, register: Registry): Note {
  const { type, help, labels = [], ofFunction = true, buckets = [] } = instruments[name];
  const labelNames = [...(ofFunction ? ["function"] : []), ...labels];
  const registers = [register];
  const all = (functionName: string, own: Measurement["labels"]) => ({
    ...(ofFunction ? { function: functionName } : {}),
    ...own,
  });
  switch (type) {
    case "counter": {
      const made = new Counter({ name, help, labelNames, registers });
      return (functionName, { value, labels: own }) => made.inc(all(functionName, own), value);
    }
    case "gauge": {
      const made = new Gauge({ name, help, labelNames, registers });
      return (functionName, { value, labels: own }) => made.set(all(functionName, own), value);
    }
    case "histogram": {
      const made = new Histogram({ name, help, labelNames, buckets: [...buckets], registers });
      return (functionName, { value, labels: own }) => made.observe(all(functionName, own), value);
    }
  }
}

/**
 * Metrics that are made from log entries alone, so that log and metrics never disagree, and those of the process
 * itself (memory, event loop, file descriptors). Labels hold only what the program chooses: no names of objects.
 */
export function prometheusMetrics(): PrometheusMetrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const notes = new Map(Object.keys(instruments).map((name) => [name, noteOf(name as MetricName, register)]));
  return {
    log: (functionName) => (entry) => {
      for (const measurement of measurementsOf(entry))
        notes.get(measurement.name)?.(functionName, measurement);
    },
    contentType: register.contentType,
    text: () => register.metrics(),
  };
}
