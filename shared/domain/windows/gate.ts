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

/** Annotation that assigns windows to an object: `NAME` or `NAMESPACE/NAME`, several separated by commas. */
export const windowAnnotation = "hubrelay.dev/maintenance-window";

/** The namespace is empty if a cluster-scoped object names the window without a namespace. */
type WindowName = Readonly<{ namespace: string; name: string }>;

/** Returns a window's name to show, without possible credentials. */
export const nameOf = ({ namespace, name }: WindowName) => displayName({ kind: "", namespace, name });

/** Returns the names of the windows in an object's annotation; the default namespace is the object's own. */
export function windowNamesOf(windowReferrer: KubernetesObject): readonly WindowName[] {
  const own = isKind(kinds.MachineConfigPool, windowReferrer) ? "" : namespaceOf(windowReferrer);
  const names = (windowReferrer.metadata.annotations?.[windowAnnotation] ?? "")
    .split(",")
    .map((name) => name.trim());
  return names.filter(Boolean).map((text) => {
    if (/^[^/]+\/[^/]+$/.test(text)) return parseNamespacedName(text);
    // Other texts with a slash are invalid: with an empty namespace they match no window.
    return { namespace: text.includes("/") ? "" : own, name: text };
  });
}

/** Reports whether a window's name is valid; `NAMESPACE/NAME/MORE` is not. */
export function isWindowName({ namespace, name }: WindowName): boolean {
  return isDnsSubdomain(name) && (namespace === "" || isDnsLabel(namespace));
}

/** A window's name and the parsed window. A missing or invalid window has a `problem` instead, and stays closed. */
export type NamedWindow = WindowName &
  Omit<ReadWindow, "window" | "issues"> &
  Readonly<{ window: MaintenanceWindow } | { problem: string; isMissing?: true }>;

/** Whether work may start now. `windows` are names of windows; without windows, work may always start. */
export type Gate = Readonly<{
  windows: readonly string[];
  /** What happens to running work when the windows close: `Finish` if one of the windows says so. */
  atEnd: AtEnd;
}> &
  Readonly<
    | {
        isOpen: true;
        /** The opening that is open now and ends last; absent if it never ends, or if no window restricts the work. */
        opening?: Opening;
      }
    | {
        isOpen: false;
        /** When the first of the windows opens next; absent if none will open, or if the clocks differ. */
        opensAt?: Date;
        reason: string;
      }
  >;

/** Returns the errors among these issues as one text. */
export function problemsOf(issues: readonly Issue[]): string {
  const errors = issues.filter(({ severity }) => severity === "error");
  return errors.map(({ path, message }) => sentence`${path}: ${message}`).join("; ");
}

/** Returns these MaintenanceWindows in their parsed form. An invalid window is in the result with a problem. */
export function namedWindows(objects: readonly KubernetesObject[]): readonly NamedWindow[] {
  return objects.map((object) => {
    const [namespace, name] = [namespaceOf(object), object.metadata.name];
    const { window, issues, ...selection } = readMaintenanceWindow(object);
    const base = { namespace, name, ...selection };
    return window ? { ...base, window } : { ...base, problem: problemsOf(issues) };
  });
}

/** Returns the windows that an object's annotation names, also missing windows; undefined without names. */
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

/** Returns the windows whose clusterSelector selects a cluster with these labels; they may be invalid. */
export function selectedWindows(
  labels: Readonly<Record<string, string>> | undefined,
  windows: readonly NamedWindow[],
): readonly NamedWindow[] {
  return windows.filter(({ clusterSelector }) => clusterSelector && selects(clusterSelector, labels));
}

/** Returns the invalid and missing windows, each with the reason: `fleet/night: no such MaintenanceWindow`. */
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
 * Returns whether windows allow work now: one open window is enough, and without windows, work is always allowed. While
 * hubrelay's clock differs from the hub's, no work may start, but running work continues in an open window.
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

/** Returns the time at which the gate of these windows may change next; undefined if it never changes. */
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

/** Uses the windows that the first object with an annotation names, or else the windows that select the labels. */
type OfDeciding<Result> = (
  windowReferrers: readonly KubernetesObject[],
  labels: Readonly<Record<string, string>> | undefined,
) => Result;

/** Returns the gate of an object. All gates are for the same time. */
export type Gatekeeper = OfDeciding<Gate>;

/** Calls `evaluate` only once for the same windows. */
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

/** Returns a function that returns the windows that decide about an object: the same array for the same windows. */
export const decidingWindows = (objects: readonly KubernetesObject[]): OfDeciding<readonly NamedWindow[]> =>
  byDecidingWindows(objects, (windows) => windows);

/** Returns a function that computes the gate of an object for these MaintenanceWindows. */
export function gatekeeper(objects: readonly KubernetesObject[], allowed: Allowed, clock: Clock): Gatekeeper {
  return byDecidingWindows(objects, (windows) => gateAt(windows, allowed, clock));
}

/** Returns a function that finds the next time at which an object's windows open, whatever they allow. */
export function openingFinder(objects: readonly KubernetesObject[], now: Date): OfDeciding<Date | undefined> {
  return byDecidingWindows(objects, (windows) =>
    soonestStart(
      windows.flatMap((one) => ("window" in one ? [one.window] : [])),
      now,
    ),
  );
}

/** Reports whether clusters' labels must be read to find their windows. */
export function needsLabels(
  objects: readonly KubernetesObject[],
  windowReferrers: readonly KubernetesObject[],
): boolean {
  const isNamed = windowReferrers.some(
    (windowReferrer) => annotatedWindows(windowReferrer, []) !== undefined,
  );
  return !isNamed && namedWindows(objects).some(({ clusterSelector }) => clusterSelector);
}
