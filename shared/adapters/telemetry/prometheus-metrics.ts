import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Log } from "../../ports/log.ts";
import {
  type Instrument,
  instruments,
  type Measurement,
  measuredByLeader,
  measuredOfFleet,
  measurementsOf,
} from "./metrics.ts";

export type PrometheusMetrics = Readonly<{
  /** Returns a log for a function or process. Its name becomes the label `function` of the metrics. */
  log(functionName: string): Log;
  contentType: string;
  text(): Promise<string>;
}>;

const allInstruments: readonly (readonly [string, Instrument])[] = Object.entries(instruments);

type Recorder = (functionName: string, measurement: Omit<Measurement, "name">) => void;

function recorderOf(
  name: string,
  { type, help, labels = [], ofFunction = true, buckets = [] }: Instrument,
  register: Registry,
): Recorder {
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

/** Exported as 0 from the start: Prometheus' function `increase` would otherwise miss the first increment. */
const startingAtZero = allInstruments.flatMap(([name, { type, labels = [] }]) =>
  type === "counter" && labels.length === 0 ? [name] : [],
);

/** Returns hubrelay's metrics, which are made only from log entries, and the metrics of the process. */
export function prometheusMetrics(): PrometheusMetrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const recorders = new Map(
    allInstruments.map(([name, instrument]) => [name, recorderOf(name, instrument, register)]),
  );
  return {
    log(functionName) {
      for (const name of startingAtZero) recorders.get(name)?.(functionName, { value: 0, labels: {} });
      return (entry) => {
        if (entry.event === "standing-by")
          for (const name of measuredByLeader) register.getSingleMetric(name)?.reset();
        if (entry.event === "fleet-measured")
          for (const name of measuredOfFleet) register.getSingleMetric(name)?.reset();
        for (const one of measurementsOf(entry)) recorders.get(one.name)?.(functionName, one);
      };
    },
    contentType: register.contentType,
    text: () => register.metrics(),
  };
}
