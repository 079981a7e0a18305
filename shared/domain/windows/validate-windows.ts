import { flagIssues, takeOverAnnotation } from "../issues/annotations.ts";
import { knownFields } from "../issues/field.ts";
import {
  annotationIssue,
  fieldIssue,
  fieldWarning,
  type Issue,
  type Severity,
  versionIssues,
} from "../issues/issue.ts";
import { unknownFields } from "../issues/unknown-fields.ts";
import { fieldsOf } from "../kubernetes/json/values.ts";
import { isKind, isOfAnyVersion, type KubernetesObject, kinds, namespaceOf } from "../kubernetes/object.ts";
import { maxCostOf } from "../plan/cost.ts";
import { durationText } from "../text/human-readable.ts";
import { sentence } from "../text/redact.ts";
import {
  annotatedWindows,
  isWindowName,
  type NamedWindow,
  namedWindows,
  nameOf,
  windowAnnotation,
  windowNamesOf,
} from "./gate.ts";
import { type MaintenanceWindow, readMaintenanceWindow } from "./maintenance-window.ts";
import {
  isEndless,
  nextOpenings,
  type Opening,
  openingLength,
  overlongOpening,
  shortestGap,
} from "./openings.ts";
import { windowSpec } from "./window-spec.ts";
import { wallClock } from "./zone.ts";

/** A MaintenanceWindow with its next openings; the first may be open now. */
export type ListedWindow = Readonly<{
  namespace: string;
  name: string;
  /** The parsed window; absent if it is invalid. */
  window?: MaintenanceWindow;
  openings: readonly Opening[];
  issues: readonly Issue[];
}>;

/** Formats what an open window allows: `pre-caching, worker: reboot`. */
export function allowedText({ allow }: MaintenanceWindow): string {
  const { preCaching, maxCost } = allow;
  const costs = [...maxCost].map(([pool, cost]) => `${pool}: ${cost}`);
  return [...(preCaching ? ["pre-caching"] : []), ...costs].join(", ") || "nothing";
}

/** Returns a window with its issues and its next `count` openings. An invalid window has no openings. */
export function listWindow(object: KubernetesObject, now: Date, count: number): ListedWindow {
  const entry = { namespace: namespaceOf(object), name: object.metadata.name, openings: [] };
  const notServed = versionIssues(kinds.MaintenanceWindow, object);
  if (notServed.length > 0) return { ...entry, issues: notServed };
  const { window } = readMaintenanceWindow(object);
  const issues = maintenanceWindowIssues(object, now);
  if (!window) return { ...entry, issues };
  return { ...entry, issues, window, openings: nextOpenings(window, now, count) };
}

const specFields = knownFields(windowSpec.definition, "spec");

/** Returns all issues of a MaintenanceWindow, for example that it never opens after `now`. */
export function maintenanceWindowIssues(object: KubernetesObject, now: Date): readonly Issue[] {
  const { window, issues } = readMaintenanceWindow(object);
  const never = window && nextOpenings(window, now, 1).length === 0 ? [withoutOpenings(object)] : [];
  const either = window ? eitherDayIssues(object, window) : [];
  const overlong = window ? overlongIssues(object, window, now) : [];
  return [...issues, ...never, ...either, ...overlong, ...unknownFields(object, specFields)];
}

function overlongIssues(object: KubernetesObject, window: MaintenanceWindow, now: Date): readonly Issue[] {
  const opening = overlongOpening(window, now);
  if (!opening) return [];
  const { zone } = window;
  const { duration } = fieldsOf(object.spec);
  const [from, to] = [wallClock(zone, opening.start), wallClock(zone, opening.end)];
  const since = opening.start > now ? sentence` from ${from} ${zone.name} on` : "";
  const message = isEndless(opening)
    ? sentence`Each opening begins before or as the last one ends: it is open for ever${since}`
    : sentence`Openings overlap: it is open without a break from ${from} to ${to} ${zone.name}, ${openingLength(opening)} instead of ${duration}`;
  const gap = durationText(shortestGap(window, now));
  return [
    fieldWarning(object, "spec.duration", duration, {
      code: "OverlappingOpenings",
      message,
      remedy: sentence`Give each opening one start, e.g. "0 2 * * *" instead of "* 2 * * *", and its whole length as spec.duration; starts that are ${gap} apart need a shorter one.`,
    }),
  ];
}

/** Each month has the first of each weekday in the first range, the second in the second, and so on. */
const weeks = ["1-7", "8-14", "15-21", "22-28"];

/** Warns that a window with `1-7` and `SAT` opens on all these dates and on every Saturday, not only on the first. */
function eitherDayIssues(object: KubernetesObject, window: MaintenanceWindow): readonly Issue[] {
  const { schedule } = fieldsOf(object.spec);
  const { eitherDay } = window.schedule;
  if (!eitherDay) return [];
  const { day, weekday } = eitherDay;
  const week = weeks.indexOf(day) + 1;
  const inWeek = weekday.split(",").map((one) => `${one}#${week}`);
  const remedy =
    week > 0
      ? sentence`For ${weekday} only in these days, write * as day of month, and ${inWeek.join(",")} as day of week.`
      : "Write * in one of the two; SAT#1 is the first Saturday of a month, SAT#L the last.";
  return [
    fieldWarning(object, "spec.schedule", schedule, {
      code: "EitherDay",
      message: sentence`It opens on the days ${day} of a month, and on every ${weekday} as well: as in cron, one of the two day fields is enough.`,
      remedy,
    }),
  ];
}

type UnusableWindow = Extract<NamedWindow, { problem: string }>;

function namingIssue(object: KubernetesObject, window: UnusableWindow, severity: Severity): Issue {
  const { problem, isMissing } = window;
  if (!isWindowName(window))
    return annotationIssue(object, windowAnnotation, {
      code: "InvalidAnnotation",
      value: nameOf(window),
      message: sentence`${nameOf(window)} is not the name of an object, so that no window opens for it`,
      remedy: "Write NAME, in the object's own namespace, or NAMESPACE/NAME, several separated by commas.",
    });
  return annotationIssue(object, windowAnnotation, {
    code: isMissing ? "WindowMissing" : "WindowUnusable",
    severity,
    value: nameOf(window),
    message: isMissing
      ? sentence`No such MaintenanceWindow: ${nameOf(window)}; it never opens`
      : sentence`The MaintenanceWindow ${nameOf(window)} stays closed: ${problem}`,
    remedy: isMissing
      ? "Create it, or name others as NAME in the object's own namespace or NAMESPACE/NAME, separated by commas."
      : "Correct the window, or name another.",
  });
}

/** Returns an issue for each missing or invalid window that an object names. */
export function namedWindowIssues(
  object: KubernetesObject,
  windows: readonly KubernetesObject[],
  severity: Severity = "error",
): readonly Issue[] {
  const names = new Set(windowNamesOf(object).map(nameOf));
  if (names.size === 0) return [];
  // Only the named windows are parsed, since parsing takes most of the time.
  const wanted = windows.filter((one) => names.has(`${namespaceOf(one)}/${one.metadata.name}`));
  const named = annotatedWindows(object, namedWindows(wanted)) ?? [];
  return named.flatMap((one) => ("problem" in one ? [namingIssue(object, one, severity)] : []));
}

const namingKinds = [kinds.ClusterGroupUpgrade, kinds.PreCachingConfig, kinds.MachineConfigPool];

/** The kinds that `windowIssues` checks. */
export const windowKinds = [kinds.MaintenanceWindow, ...namingKinds];

/**
 * Returns the issues of maintenance windows, of references to windows, and of pools' annotations. A missing window is
 * an error if `objects` are all objects of a hub (`isWhole`), and otherwise a warning.
 */
export function windowIssues(
  objects: readonly KubernetesObject[],
  now: Date,
  { isWhole = false }: Readonly<{ isWhole?: boolean }> = {},
): readonly Issue[] {
  const windows = objects.filter((object) => isKind(kinds.MaintenanceWindow, object));
  const windowReferrers = objects.filter((object) => namingKinds.some((kind) => isKind(kind, object)));
  const pools = objects.filter((object) => isKind(kinds.MachineConfigPool, object));
  return [
    ...objects.flatMap((object) => versionIssues(kinds.MaintenanceWindow, object)),
    ...objects
      .filter((object) => isOfAnyVersion(kinds.MaintenanceWindow, object))
      .flatMap((object) => maintenanceWindowIssues(object, now)),
    ...windowReferrers.flatMap((object) => namedWindowIssues(object, windows, isWhole ? "error" : "warning")),
    ...pools.flatMap((pool) => [...maxCostOf(pool).issues, ...flagIssues(pool, takeOverAnnotation)]),
  ];
}

function withoutOpenings(object: KubernetesObject): Issue {
  return fieldIssue(object, "spec.exclusions", fieldsOf(object.spec).exclusions, {
    code: "NeverOpens",
    message: "Every opening from now on falls in a freeze",
    remedy: "Let the last freeze end, or delete the window.",
  });
}
