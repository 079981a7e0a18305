import { fieldIssue, type Issue, wrongType } from "../issues/issue.ts";
import { isRecord, ownValue } from "../json/values.ts";
import { type LabelSelector, readLabelSelector } from "../kubernetes/label-selector.ts";
import { type KubernetesObject, namespaceOf } from "../kubernetes/object.ts";
import { type Cost, costs } from "../node-cost/cost.ts";
import { readDuration } from "./duration.ts";
import { readSchedule, type Schedule } from "./schedule.ts";
import { type Zone, zoneOf } from "./zone.ts";

/** Local dates, both included, on which no opening starts. */
export type Exclusion = Readonly<{ from: string; to: string; reason?: string }>;

/** What happens to running pre-caching when the window closes. */
export type AtEnd = "Suspend" | "Finish";

/** A parsed and validated `MaintenanceWindow` of `hubrelay.dev/v1alpha1`. */
export type MaintenanceWindow = Readonly<{
  namespace: string;
  name: string;
  schedule: Schedule;
  zone: Zone;
  /** Elapsed milliseconds, independent of clock changes. */
  duration: number;
  exclusions: readonly Exclusion[];
  allow: Readonly<{
    preCaching: boolean;
    /** The allowed cost of a mirror change while it is open, by pool name. */
    maxCost: ReadonlyMap<string, Cost>;
    /** The same for the nodes of hosted clusters; undefined if it allows them no change. */
    hostedClusterCost: Cost | undefined;
  }>;
  atEnd: AtEnd;
}>;

export type ReadWindow = Readonly<{
  window?: MaintenanceWindow;
  /** The managed clusters it selects, even with errors; absent when clusters are assigned only by name. */
  clusterSelector?: LabelSelector;
  /** The hosted clusters likewise; absent when they have to name the window. */
  hostedClusterSelector?: LabelSelector;
  issues: readonly Issue[];
}>;

/** A selector that cannot be read may mean any cluster, and an error must not start work on one. */
const everyCluster: LabelSelector = [];

/** Collects issues, so that all errors of an object are reported at once. */
type Reading = Readonly<{ object: KubernetesObject; issues: Issue[] }>;

function refuse(
  { object, issues }: Reading,
  code: Issue["code"],
  path: string,
  value: unknown,
  message: string,
  remedy: string,
): undefined {
  issues.push(fieldIssue(object, path, value, { code, message, remedy }));
  return undefined;
}

function readText(reading: Reading, spec: Readonly<Record<string, unknown>>, field: string, example: string) {
  const value = ownValue(spec, field);
  if (typeof value === "string" && value.trim() !== "") return value;
  const path = `spec.${field}`;
  if (value === undefined || typeof value === "string")
    return refuse(reading, "MissingField", path, value, `${path} is missing`, `Set it, e.g. ${example}.`);
  reading.issues.push(wrongType(reading.object, path, value, `a text such as ${example}`));
  return undefined;
}

const scheduleExample = '"0 2 * * SAT" for Saturdays at two';

function readCron(reading: Reading, spec: Readonly<Record<string, unknown>>): Schedule | undefined {
  const text = readText(reading, spec, "schedule", scheduleExample);
  if (text === undefined) return undefined;
  const read = readSchedule(text);
  const remedy = `Give minute, hour, day of month, month and day of week, e.g. ${scheduleExample}.`;
  if ("problem" in read)
    return refuse(reading, "InvalidSchedule", "spec.schedule", text, read.problem, remedy);
  if (read.schedule.after(0, 1).length > 0) return read.schedule;
  return refuse(
    reading,
    "NeverOpens",
    "spec.schedule",
    text,
    "No calendar has such a day, so the window never opens",
    remedy,
  );
}

function readZone(reading: Reading, spec: Readonly<Record<string, unknown>>): Zone | undefined {
  const name = readText(reading, spec, "timeZone", "Europe/Berlin");
  if (name === undefined) return undefined;
  return (
    zoneOf(name) ??
    refuse(
      reading,
      "UnknownTimeZone",
      "spec.timeZone",
      name,
      `Unknown time zone: ${name}`,
      "Use a name from the IANA time zone database, e.g. Europe/Berlin or UTC.",
    )
  );
}

/** A leap year: a longer opening would never end before the next one, and its dates would soon be out of range. */
const maxMilliseconds = 8784 * 3600 * 1000;

function readLength(reading: Reading, spec: Readonly<Record<string, unknown>>): number | undefined {
  const text = readText(reading, spec, "duration", "2h30m");
  if (text === undefined) return undefined;
  const milliseconds = readDuration(text.trim());
  const remedy = "Give hours and minutes, e.g. 2h30m.";
  if (milliseconds === undefined)
    return refuse(reading, "InvalidDuration", "spec.duration", text, `"${text}" is not a duration`, remedy);
  if (milliseconds > maxMilliseconds) {
    const message = "A window cannot be longer than a year";
    return refuse(reading, "InvalidDuration", "spec.duration", text, message, "Give 8784h or less.");
  }
  if (milliseconds > 0) return milliseconds;
  return refuse(
    reading,
    "InvalidDuration",
    "spec.duration",
    text,
    "A window of zero length never opens",
    remedy,
  );
}

/**
 * Accepts the timestamp form in which YAML parsers return an unquoted date; undefined when the date does not exist.
 */
function readDate(value: unknown): string | undefined {
  const date =
    typeof value === "string" ? /^(\d{4}-\d{2}-\d{2})(?:T00:00:00Z)?$/.exec(value)?.[1] : undefined;
  if (date === undefined) return undefined;
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date) ? date : undefined;
}

function readExclusion(reading: Reading, value: unknown, path: string): Exclusion | undefined {
  if (!isRecord(value)) {
    reading.issues.push(wrongType(reading.object, path, value, "an object with from and to"));
    return undefined;
  }
  const [from, to] = [readDate(value.from), readDate(value.to)];
  const remedy = "Give local dates, both included, e.g. from: 2026-12-21 and to: 2027-01-06.";
  for (const [field, date] of Object.entries({ from, to })) {
    if (date === undefined)
      refuse(reading, "InvalidDate", `${path}.${field}`, ownValue(value, field), "Not a date", remedy);
  }
  if (from === undefined || to === undefined) return undefined;
  if (from > to) {
    const message = `The freeze ends on ${to}, before it begins on ${from}`;
    return refuse(reading, "InvalidDate", `${path}.to`, value.to, message, "Swap the two dates.");
  }
  return { from, to, ...(typeof value.reason === "string" ? { reason: value.reason } : {}) };
}

function readExclusions(reading: Reading, { exclusions = [] }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(exclusions)) {
    reading.issues.push(wrongType(reading.object, "spec.exclusions", exclusions, "a list"));
    return [];
  }
  return exclusions
    .map((value: unknown, index) => readExclusion(reading, value, `spec.exclusions[${index}]`))
    .filter((exclusion) => exclusion !== undefined);
}

function readSelector(reading: Reading, path: string, value: unknown): LabelSelector | undefined {
  if (value === undefined) return undefined;
  const read = readLabelSelector(value);
  const remedy = "Give matchLabels and matchExpressions as Kubernetes has them; {} is every cluster.";
  // Without this check, a selector with only an unknown field would select every cluster.
  const unknown = isRecord(value)
    ? Object.keys(value).find((field) => field !== "matchLabels" && field !== "matchExpressions")
    : undefined;
  if (unknown !== undefined && isRecord(value)) {
    const message = "A selector has no such field";
    refuse(reading, "InvalidSelector", `${path}.${unknown}`, ownValue(value, unknown), message, remedy);
    return everyCluster;
  }
  if ("selector" in read) return read.selector;
  const { field, value: found, message } = read.error;
  refuse(reading, "InvalidSelector", [path, field].filter(Boolean).join("."), found, message, remedy);
  return everyCluster;
}

function readSelections(
  reading: Reading,
  spec: Readonly<Record<string, unknown>>,
  { hostedClusters }: Readonly<Record<string, unknown>>,
): Omit<ReadWindow, "window" | "issues"> {
  const clusterSelector = readSelector(reading, "spec.clusterSelector", spec.clusterSelector);
  const selector = isRecord(hostedClusters) ? hostedClusters.selector : undefined;
  const hostedClusterSelector = readSelector(reading, "spec.allow.hostedClusters.selector", selector);
  return {
    ...(clusterSelector ? { clusterSelector } : {}),
    ...(hostedClusterSelector ? { hostedClusterSelector } : {}),
  };
}

function readCost(reading: Reading, path: string, value: unknown): Cost | undefined {
  const cost = costs.find((one) => one === value);
  const message = `${JSON.stringify(value)} is not a cost`;
  return cost ?? refuse(reading, "InvalidMaxCost", path, value, message, `Write one of ${costs.join(", ")}.`);
}

function readMaxCost(reading: Reading, maxCost: unknown): ReadonlyMap<string, Cost> {
  if (!isRecord(maxCost)) {
    const shape = "an object of pools and costs, e.g. worker: reboot";
    reading.issues.push(wrongType(reading.object, "spec.allow.maxCost", maxCost, shape));
    return new Map();
  }
  const read = Object.entries(maxCost).flatMap(([pool, value]): [string, Cost][] => {
    const field = /^[-a-z0-9]+$/.test(pool) ? `.${pool}` : `[${JSON.stringify(pool)}]`;
    const cost = readCost(reading, `spec.allow.maxCost${field}`, value);
    return cost ? [[pool, cost]] : [];
  });
  return new Map(read);
}

function readAllow(reading: Reading, allow: Readonly<Record<string, unknown>>): MaintenanceWindow["allow"] {
  const { preCaching = true, maxCost = {}, hostedClusters } = allow;
  if (typeof preCaching !== "boolean")
    reading.issues.push(wrongType(reading.object, "spec.allow.preCaching", preCaching, "true or false"));
  const path = "spec.allow.hostedClusters";
  if (hostedClusters !== undefined && !isRecord(hostedClusters))
    reading.issues.push(wrongType(reading.object, path, hostedClusters, "an object with maxCost"));
  return {
    preCaching: preCaching === true,
    maxCost: readMaxCost(reading, maxCost),
    hostedClusterCost: isRecord(hostedClusters)
      ? readCost(reading, `${path}.maxCost`, hostedClusters.maxCost)
      : undefined,
  };
}

function readAtEnd(reading: Reading, { atEnd = "Suspend" }: Readonly<Record<string, unknown>>): AtEnd {
  if (atEnd === "Suspend" || atEnd === "Finish") return atEnd;
  const message = "Unknown value for atEnd";
  refuse(reading, "InvalidEnd", "spec.atEnd", atEnd, message, "Give Suspend or Finish.");
  return "Suspend";
}

/**
 * Reads a MaintenanceWindow and reports every error in it. There is no window when there is an error: a partial
 * window might allow work outside its hours.
 */
export function readMaintenanceWindow(object: KubernetesObject): ReadWindow {
  const reading: Reading = { object, issues: [] };
  const spec = object.spec ?? {};
  if (!isRecord(spec)) return { issues: [wrongType(object, "spec", spec, "an object")] };
  const [schedule, zone, duration] = [
    readCron(reading, spec),
    readZone(reading, spec),
    readLength(reading, spec),
  ];
  const exclusions = readExclusions(reading, spec);
  const { allow: given = {} } = spec;
  if (!isRecord(given)) reading.issues.push(wrongType(object, "spec.allow", given, "an object"));
  const allowed = isRecord(given) ? given : {};
  const selection = readSelections(reading, spec, allowed);
  const [allow, atEnd] = [readAllow(reading, allowed), readAtEnd(reading, spec)];
  if (!schedule || !zone || duration === undefined || reading.issues.length > 0)
    return { ...selection, issues: reading.issues };
  const window: MaintenanceWindow = {
    namespace: namespaceOf(object),
    name: object.metadata.name,
    schedule,
    zone,
    duration,
    exclusions,
    allow,
    atEnd,
  };
  return { window, ...selection, issues: [] };
}
