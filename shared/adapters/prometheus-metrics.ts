import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Log, LogEntry } from "../ports/log.ts";

export type PrometheusMetrics = Readonly<{
  /** A log whose entries are counted, under the name of the function or process that writes them. */
  log(functionName: string): Log;
  contentType: string;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
}>;

/** From a few milliseconds to a queue's longest delay and beyond. */
const ageBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];
const durationBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

function instruments(register: Registry) {
  const registers = [register];
  const counter = <Label extends string>(name: string, help: string, ...labels: Label[]) =>
    new Counter({ name: `hubrelay_${name}_total`, help, labelNames: ["function", ...labels], registers });
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `hubrelay_${name}_seconds`, help, labelNames: ["function"], buckets, registers });
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `hubrelay_${name}`, help, labelNames, registers });
  return {
    received: counter("events_received", "Hub events that were taken from the queue.", "type"),
    ignored: counter("events_ignored", "Events that do not concern the function."),
    deadLettered: counter("dead_letters", "Messages that can never be read, moved at once."),
    duration: histogram("reconcile_duration", "One object brought to its desired state.", durationBuckets),
    age: histogram("event_age", "From sending the oldest event to the end of its reconcile.", ageBuckets),
    conflicts: counter("conflicts", "Writes that lost a race; the object is looked at again."),
    retries: counter("retries", "Attempts that failed for now and are repeated later."),
    failures: counter("failures", "Attempts that failed for a reason that time does not heal."),
    issues: counter("issues", "Mistakes found, each time they are looked at.", "code", "severity"),
    writes: counter("writes", "Objects written on the hub.", "verb", "kind"),
    outcomes: counter("outcomes", "Outcome events published.", "type"),
    requeues: counter("requeues", "Looks that were put off to a later time."),
    resynced: counter("resynced_references", "References that a resync tick sent again."),
    forwarded: counter("forwarded_events", "Changes of the hub that a queue has taken.", "queue"),
    waiting: gauge("forward_waiting_events", "Changes of the hub that no queue has taken yet.", "queue"),
    synced: gauge("forward_synced", "1 once all that existed when the watch began has been sent."),
    leading: gauge("leading", "1 while this process holds the Lease.", "lease"),
  };
}

/** The last part of a CloudEvent type: add, update, delete. */
function verbOf(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

function count(to: ReturnType<typeof instruments>, name: string, entry: LogEntry): void {
  const own = { function: name };
  switch (entry.event) {
    case "event-received":
      to.received.inc({ ...own, type: verbOf(entry.type) });
      break;
    case "event-ignored":
      to.ignored.inc(own);
      break;
    case "dead-lettered":
      to.deadLettered.inc(own);
      break;
    case "reconciled":
      to.duration.observe(own, entry.durationMs / 1000);
      to.age.observe(own, entry.ageMs / 1000);
      break;
    case "conflict":
      to.conflicts.inc(own);
      break;
    case "retry":
      to.retries.inc(own);
      break;
    case "failed":
      to.failures.inc(own);
      break;
    case "issue":
      to.issues.inc({ ...own, code: entry.issue.code, severity: entry.issue.severity });
      break;
    case "written":
      to.writes.inc({ ...own, verb: entry.verb, kind: entry.object.split("/", 1).join() });
      break;
    case "published":
      to.outcomes.inc({ ...own, type: entry.type });
      break;
    case "requeued":
      to.requeues.inc(own);
      break;
    case "resynced":
      to.resynced.inc(own, entry.messages);
      break;
    case "forwarded":
      to.waiting.set({ queue: entry.queue }, entry.waiting);
      to.forwarded.inc({ ...own, queue: entry.queue }, entry.messages);
      break;
    case "not-forwarded":
      to.waiting.set({ queue: entry.queue }, entry.waiting);
      to.retries.inc(own);
      break;
    case "synced":
      to.synced.set(1);
      break;
    case "leading":
      to.synced.set(0);
      to.leading.set({ lease: entry.lease }, 1);
      break;
    case "standing-by":
      to.synced.set(0);
      to.leading.set({ lease: entry.lease }, 0);
      break;
  }
}

/**
 * Metrics that are made from log entries alone, so that log and metrics never disagree, and those of the process
 * itself (memory, event loop, file descriptors). Labels hold only what the program chooses: no names of objects.
 */
export function prometheusMetrics(): PrometheusMetrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const all = instruments(register);
  return {
    log: (functionName) => (entry) => count(all, functionName, entry),
    contentType: register.contentType,
    text: () => register.metrics(),
  };
}
