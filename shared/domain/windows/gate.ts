import type { Issue } from "../issues/issue.ts";
import { isDnsLabel, isDnsSubdomain } from "../issues/object-name.ts";
import { selects } from "../kubernetes/label-selector.ts";
import {
  displayName,
  isKind,
  type KubernetesObject,
  kinds,
  namespaceOf,
  parseNamespacedName,
  timestamp,
} from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import { type Clock, clockProblem, windowTime } from "./clock.ts";
import { type MaintenanceWindow, type ReadWindow, readMaintenanceWindow } from "./maintenance-window.ts";
import { isEndless, nextStart, type Opening, openingAt } from "./openings.ts";
import type { AtEnd } from "./window-spec.ts";

/** The annotation that assigns windows to an object: `NAME` or `NAMESPACE/NAME`, several separated by commas. */
export const windowAnnotation = "hubrelay.dev/maintenance-window";

/** The namespace is empty when an object without a namespace names the window. */
type WindowName = Readonly<{ namespace: string; name: string }>;

/** Returns the display name of a window. Users write both parts, so possible credentials are removed from each. */
export const nameOf = ({ namespace, name }: WindowName) => displayName({ kind: "", namespace, name });

/** Returns the windows that an object's annotation names, by default in its own namespace. */
export function windowNamesOf(windowReferrer: KubernetesObject): readonly WindowName[] {
  const own = isKind(kinds.MachineConfigPool, windowReferrer) ? "" : namespaceOf(windowReferrer);
  const names = (windowReferrer.metadata.annotations?.[windowAnnotation] ?? "")
    .split(",")
    .map((name) => name.trim());
  return names.filter(Boolean).map((text) => {
    if (/^[^/]+\/[^/]+$/.test(text)) return parseNamespacedName(text);
    // Any other text with a slash is invalid; without a namespace it matches no window.
    return { namespace: text.includes("/") ? "" : own, name: text };
  });
}

/** Reports whether a name is valid; `NAMESPACE/NAME/MORE`, for instance, is not. */
export function isWindowName({ namespace, name }: WindowName): boolean {
  return isDnsSubdomain(name) && (namespace === "" || isDnsLabel(namespace));
}

/** A window by name: parsed, or the reason why it is invalid or missing and stays closed. */
export type NamedWindow = WindowName &
  Omit<ReadWindow, "window" | "issues"> &
  Readonly<{ window: MaintenanceWindow } | { problem: string; isMissing?: true }>;

/** Whether work may start now. `windows` are the deciding windows; without any there is no restriction. */
export type Gate = Readonly<{
  windows: readonly string[];
  /** The end of running work when the window closes: it may finish when any of the windows allows it. */
  atEnd: AtEnd;
}> &
  Readonly<
    | {
        isOpen: true;
        /** The opening that ends last; absent when it has no end, or no window restricts the work. */
        opening?: Opening;
      }
    | {
        isOpen: false;
        /** The next opening of any window; absent when none will open. */
        opensAt?: Date;
        reason: string;
      }
  >;

/** Returns the errors among issues as text for statuses and reasons. */
export function problemsOf(issues: readonly Issue[]): string {
  const errors = issues.filter(({ severity }) => severity === "error");
  return errors.map(({ path, message }) => sentence`${path}: ${message}`).join("; ");
}

/** Reads MaintenanceWindows; an invalid one stays in the list and is closed. */
export function namedWindows(objects: readonly KubernetesObject[]): readonly NamedWindow[] {
  return objects.map((object) => {
    const [namespace, name] = [namespaceOf(object), object.metadata.name];
    const { window, issues, ...selection } = readMaintenanceWindow(object);
    const base = { namespace, name, ...selection };
    return window ? { ...base, window } : { ...base, problem: problemsOf(issues) };
  });
}

/**
 * Returns the windows that an object's annotation names, by default in its own namespace; undefined without names. The name
 * of a missing window is included with its problem.
 */
export function annotatedWindows(
  windowReferrer: KubernetesObject,
  windows: readonly NamedWindow[],
): readonly NamedWindow[] | undefined {
  const wanted = windowNamesOf(windowReferrer);
  if (wanted.length === 0) return undefined;
  return wanted.map(
    (one) =>
      windows.find(({ namespace, name }) => namespace === one.namespace && name === one.name) ?? {
        ...one,
        problem: "no such MaintenanceWindow",
        isMissing: true as const,
      },
  );
}

/** Returns the windows whose clusterSelector selects a cluster with these labels, including invalid windows. */
export function selectedWindows(
  labels: Readonly<Record<string, string>> | undefined,
  windows: readonly NamedWindow[],
): readonly NamedWindow[] {
  return windows.filter(({ clusterSelector }) => clusterSelector && selects(clusterSelector, labels));
}

/** Returns the invalid and missing windows with reasons, e.g. `fleet/night: no such MaintenanceWindow`. */
export function unusableWindows(windows: readonly NamedWindow[]): readonly string[] {
  return windows.flatMap((one) => ("problem" in one ? [sentence`${nameOf(one)}: ${one.problem}`] : []));
}

type Allowed = (window: MaintenanceWindow) => boolean;

const latest = (a: Opening, b: Opening) => (b.end > a.end ? b : a);

function soonestStart(windows: readonly MaintenanceWindow[], now: Date): Date | undefined {
  const starts = windows.flatMap((window) => nextStart(window, now) ?? []);
  return starts.sort((a, b) => a.getTime() - b.getTime())[0];
}

/**
 * Reports whether the windows allow an action now: one open window is enough. Invalid windows are closed, since an error
 * must never start work outside its hours. While hubrelay's clock differs from the hub's, all windows are closed for new
 * work; work that runs in an opening continues.
 */
export function gateAt(windows: readonly NamedWindow[], allowed: Allowed, clock: Clock): Gate {
  const now = windowTime(clock);
  const names = windows.map(nameOf);
  if (windows.length === 0) return { windows: names, atEnd: "Finish", isOpen: true };
  const usable = windows.flatMap((one) => ("window" in one && allowed(one.window) ? [one.window] : []));
  const atEnd: AtEnd = usable.some((window) => window.atEnd === "Finish") ? "Finish" : "Suspend";
  const open = usable.flatMap((window) => {
    const opening = openingAt(window, now);
    return opening ? [{ window, opening }] : [];
  });
  const problem = clockProblem(clock);
  if (problem) {
    const reason = [problem, ...unusableWindows(windows)].join("; ");
    return { windows: names, atEnd: open.length > 0 ? "Finish" : atEnd, isOpen: false, reason };
  }
  if (open.length > 0) {
    const opening = open.map((one) => one.opening).reduce(latest);
    return { windows: names, atEnd, isOpen: true, ...(isEndless(opening) ? {} : { opening }) };
  }
  const opensAt = soonestStart(usable, now);
  const until = opensAt ? sentence`until ${timestamp(opensAt)}` : "for good";
  const reason = [
    sentence`${names.join(", ")} ${names.length > 1 ? "are" : "is"} closed ${until}`,
    ...unusableWindows(windows),
  ].join("; ");
  return { windows: names, atEnd, isOpen: false, ...(opensAt ? { opensAt } : {}), reason };
}

/** Returns when the result of `gateAt` for these windows may change next; undefined when it stays. */
export function nextChange(
  windows: readonly NamedWindow[],
  allowed: Allowed,
  gate: Gate,
  now: Date,
): Date | undefined {
  if (!gate.isOpen) return gate.opensAt;
  const usable = windows.flatMap((one) => ("window" in one && allowed(one.window) ? [one.window] : []));
  const opens = soonestStart(usable, now);
  const closes = gate.opening?.end;
  return closes && opens && opens < closes ? opens : closes;
}

/**
 * Returns the result for an object. The deciding windows are those that the first referrer with the annotation names,
 * otherwise those that select the labels.
 */
type OfDeciding<Result> = (
  windowReferrers: readonly KubernetesObject[],
  labels: Readonly<Record<string, string>> | undefined,
) => Result;

/** Returns the gate of an object; for many objects at one time. */
export type Gatekeeper = OfDeciding<Gate>;

/** Evaluates each set of windows once. */
function byDecidingWindows<Result>(
  objects: readonly KubernetesObject[],
  evaluate: (windows: readonly NamedWindow[]) => Result,
): OfDeciding<Result> {
  const all = namedWindows(objects);
  const known = new Map<string, Readonly<{ result: Result }>>();
  return (windowReferrers, labels) => {
    const named = windowReferrers
      .map((windowReferrer) => annotatedWindows(windowReferrer, all))
      .find((some) => some !== undefined);
    const windows = named ?? selectedWindows(labels, all);
    const key = JSON.stringify(windows.map(nameOf));
    const found = known.get(key) ?? { result: evaluate(windows) };
    known.set(key, found);
    return found.result;
  };
}

/** Returns a function that finds the deciding windows of an object. Equal windows are one array, as a key for results. */
export const decidingWindows = (objects: readonly KubernetesObject[]): OfDeciding<readonly NamedWindow[]> =>
  byDecidingWindows(objects, (windows) => windows);

/** Returns a gatekeeper for these MaintenanceWindows. */
export function gatekeeper(objects: readonly KubernetesObject[], allowed: Allowed, clock: Clock): Gatekeeper {
  return byDecidingWindows(objects, (windows) => gateAt(windows, allowed, clock));
}

/** Returns a function that finds the next opening after `now`, whatever its window allows. */
export function openingFinder(objects: readonly KubernetesObject[], now: Date): OfDeciding<Date | undefined> {
  return byDecidingWindows(objects, (windows) =>
    soonestStart(
      windows.flatMap((one) => ("window" in one ? [one.window] : [])),
      now,
    ),
  );
}

/** Reports whether a window selects clusters by labels, so that the labels must be read. */
export function needsLabels(
  objects: readonly KubernetesObject[],
  windowReferrers: readonly KubernetesObject[],
): boolean {
  const isNamed = windowReferrers.some(
    (windowReferrer) => annotatedWindows(windowReferrer, []) !== undefined,
  );
  return !isNamed && namedWindows(objects).some(({ clusterSelector }) => clusterSelector);
}
