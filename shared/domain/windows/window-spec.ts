import {
  choice,
  type Definition,
  type Field,
  flag,
  lenient,
  list,
  map,
  object,
  parsed,
  partial,
  type Refuse,
  type RequiredField,
  rules,
  text,
  type ValueOf,
} from "../issues/field.ts";
import type { Problem } from "../issues/issue.ts";
import { fieldsOf, ownValue } from "../kubernetes/json/values.ts";
import { type LabelSelector, readLabelSelector, selectorDefinition } from "../kubernetes/label-selector.ts";
import { costs } from "../plan/cost.ts";
import { isCalendarDay } from "../text/calendar-day.ts";
import { sentence } from "../text/redact.ts";
import { readDuration } from "./duration.ts";
import { everOpens, readSchedule, type Schedule } from "./schedule.ts";
import { zoneOf } from "./zone.ts";

function requiredText<Value>(
  example: string,
  definition: Definition,
  parse: (text: string, refuse: (problem: Problem) => undefined) => Value | undefined,
): RequiredField<Value | undefined> {
  return {
    definition: { type: "string", ...definition },
    isRequired: true,
    read(value, path, refuse) {
      if (typeof value === "string" && value.trim() !== "")
        return parse(value, (problem) => refuse(path, value, problem));
      if (value !== undefined && typeof value !== "string")
        return refuse(path, value, sentence`a text such as ${example}`);
      const message = sentence`${path} is missing`;
      return refuse(path, value, {
        code: "MissingField",
        message,
        remedy: sentence`Set it, e.g. ${example}.`,
      });
    },
  };
}

const scheduleExample = '"0 2 * * SAT" for Saturdays at two';

const schedule = requiredText(
  scheduleExample,
  {
    minLength: 1,
    maxLength: 256,
    description:
      "cron: minute, hour, day of month, month, day of week, in the time zone. A time that the clock skips opens at " +
      "the first moment after the gap; a repeated time opens at the first.",
    ...rules([
      String.raw`self.matches('^\\s*(@[A-Za-z]+|(\\S+\\s+){4}\\S+)\\s*$')`,
      "a schedule has five fields: minute, hour, day of month, month, day of week",
    ]),
  },
  (text, refuse): Schedule | undefined => {
    const read = readSchedule(text);
    const remedy = sentence`Give minute, hour, day of month, month and day of week, e.g. ${scheduleExample}.`;
    if ("problem" in read)
      return refuse({ code: "InvalidSchedule", message: read.problem, remedy: read.remedy ?? remedy });
    if (everOpens(read.schedule)) return read.schedule;
    const message = "No calendar has such a day, so the window never opens";
    return refuse({ code: "NeverOpens", message, remedy });
  },
);

const timeZone = requiredText(
  "Europe/Berlin",
  {
    minLength: 1,
    maxLength: 64,
    description: "name in the IANA time zone database, e.g. Europe/Berlin",
    ...rules(
      [
        "self.matches('^[A-Za-z][A-Za-z0-9_+/-]*$')",
        "must be a name in the IANA time zone database, e.g. Europe/Berlin or UTC",
      ],
      [
        "!self.matches('^([A-Za-z]{3}|(?i:SystemV)/.*)$') || " +
          "self.matches('(?i)^(CET|EET|EST|GMT|HST|MET|MST|PRC|ROC|ROK|UCT|UTC|WET)$')",
        "an abbreviation means different zones: name a place of the IANA database, e.g. Europe/London for BST",
      ],
    ),
  },
  (name, refuse) =>
    zoneOf(name) ??
    refuse({
      code: "UnknownTimeZone",
      message: sentence`Unknown time zone: ${name}`,
      remedy: "Use a name from the IANA time zone database, e.g. Europe/Berlin or UTC.",
    }),
);

/** A leap year in hours. A longer opening would overlap the next, and its end could be out of range. */
const maxHours = 8784;

const duration = requiredText(
  "2h30m",
  {
    maxLength: 32,
    pattern: String.raw`^([0-9]+(\.[0-9]+)?(h|ms|m|s))+$`,
    description: "elapsed time, e.g. 2h30m",
    ...rules(
      ["duration(self) > duration('0s')", "must be greater than 0s"],
      [`duration(self) <= duration('${maxHours}h')`, `must be at most ${maxHours}h`],
    ),
  },
  (text, refuse) => {
    const milliseconds = readDuration(text.trim());
    const invalid = (message: string, remedy = "Give hours and minutes, e.g. 2h30m.") =>
      refuse({ code: "InvalidDuration", message, remedy });
    if (milliseconds === undefined) return invalid(sentence`"${text}" is not a duration`);
    if (milliseconds > maxHours * 3600 * 1000)
      return invalid("A window cannot be longer than a year", sentence`Give ${maxHours}h or less.`);
    return milliseconds > 0 ? milliseconds : invalid("A window of zero length never opens");
  },
);

const date = (description: string): RequiredField<string | undefined> => ({
  definition: {
    type: "string",
    format: "date",
    maxLength: 10,
    pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    description,
  },
  isRequired: true,
  read: (value, path, refuse) =>
    typeof value === "string" && isCalendarDay(value)
      ? value
      : refuse(path, value, {
          code: "InvalidDate",
          message: "Not a date",
          remedy: "Give local dates, both included, e.g. from: 2026-12-21 and to: 2027-01-06.",
        }),
});

const exclusion = parsed(
  object(
    {
      from: date("first local date"),
      to: date("last local date"),
      reason: lenient(text({ maxLength: 1024 })),
    },
    rules(["self.from <= self.to", "to must not be before from"]),
    "an object with from and to",
  ),
  (read, path, refuse, given) => {
    const { from, to } = read;
    const message = sentence`The freeze ends on ${to}, before it begins on ${from}`;
    if (from > to)
      return refuse(`${path}.to`, ownValue(fieldsOf(given), "to"), {
        code: "InvalidDate",
        message,
        remedy: "Swap the two dates.",
      });
    return read;
  },
);

/** A period of local dates on which no opening starts, including the first and the last date. */
export type Exclusion = NonNullable<ValueOf<typeof exclusion>>;

/** Replaces an invalid selector, which may mean any cluster: the invalid window stays closed for all clusters. */
const everyCluster: LabelSelector = [];

function readSelector(value: unknown, path: string, refuse: Refuse): LabelSelector | undefined {
  if (value === undefined) return undefined;
  const code = "InvalidSelector";
  const remedy = "Give matchLabels and matchExpressions as Kubernetes has them; {} is every cluster.";
  // Without this check, a selector with only an unknown field would select every cluster.
  const unknown = Object.entries(fieldsOf(value)).find(
    ([field]) => field !== "matchLabels" && field !== "matchExpressions",
  );
  if (unknown) {
    const [field, found] = unknown;
    refuse(`${path}.${field}`, found, { code, message: "A selector has no such field", remedy });
    return everyCluster;
  }
  const read = readLabelSelector(value);
  if ("selector" in read) return read.selector;
  const { field, value: found, message } = read.error;
  refuse([path, field].filter(Boolean).join("."), found, { code, message, remedy });
  return everyCluster;
}

const selector = (description: string): Field<LabelSelector | undefined> => ({
  definition: { ...selectorDefinition, description },
  read: readSelector,
});

const notACost = (value: unknown): Problem => ({
  code: "InvalidMaxCost",
  message: sentence`${JSON.stringify(value)} is not a cost`,
  remedy: sentence`Write one of ${costs.join(", ")}.`,
});

const allow = object(
  {
    preCaching: flag({ description: "pre-caching may start and continue; true when absent" }),
    maxCost: map(
      choice(costs, {}, notACost),
      {
        maxProperties: 64,
        description:
          "what a change of mirrors may cost the nodes of a MachineConfigPool, by its name: more than the pool's own " +
          "annotation hubrelay.dev/max-cost allows",
      },
      "an object of pools and costs, e.g. worker: reboot",
    ),
  },
  { description: "what is allowed while it is open" },
);

/** The `spec` of a MaintenanceWindow. */
export const windowSpec = partial({
  schedule,
  timeZone,
  duration,
  exclusions: list(exclusion, {
    maxItems: 64,
    description: "dates on which no opening starts; one that started before continues to its end",
  }),
  clusterSelector: selector(
    "the managed clusters of the window, by their labels; {} selects every cluster, absent only those whose " +
      "ClusterGroupUpgrade or PreCachingConfig names the window",
  ),
  allow,
  atEnd: choice(
    ["Suspend", "Finish"],
    { description: "what happens to running pre-caching when it closes; Suspend when absent" },
    () => ({
      code: "InvalidEnd",
      message: "Unknown value for atEnd",
      remedy: "Give Suspend or Finish.",
    }),
  ),
});

/** What happens to running pre-caching when the window closes. */
export type AtEnd = NonNullable<NonNullable<ValueOf<typeof windowSpec>>["atEnd"]>;
