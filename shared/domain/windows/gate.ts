import { selects } from "../kubernetes/label-selector.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type AtEnd, type MaintenanceWindow, readMaintenanceWindow } from "./maintenance-window.ts";
import { nextStart, type Opening, openingAt } from "./openings.ts";
import { nameOf, namespaceOf, type WindowName, windowNamesOf } from "./window-names.ts";

/** A window by name: readable, or the reason why it is not, or not there, which keeps it shut. */
export type NamedWindow = WindowName &
  Readonly<{ window: MaintenanceWindow } | { problem: string; isMissing?: true }>;

/**
 * Whether something may happen now. `windows` are the names of those that decide; none means that nothing restricts
 * it.
 */
export type Gate = Readonly<{
  windows: readonly string[];
  /** What becomes of work that runs when it closes: it may finish when any of the windows says so. */
  atEnd: AtEnd;
}> &
  Readonly<
    | { isOpen: true /** The one that ends last; absent where no window restricts it. */; opening?: Opening }
    | { isOpen: false /** Absent when no window is going to open. */; opensAt?: Date; reason: string }
  >;

/** Reads MaintenanceWindows; one that is wrong stays in the list, shut. */
export function namedWindows(objects: readonly KubernetesObject[]): readonly NamedWindow[] {
  return objects.map((object) => {
    const [namespace, name] = [namespaceOf(object), object.metadata.name];
    const { window, issues } = readMaintenanceWindow(object);
    if (window) return { namespace, name, window };
    return { namespace, name, problem: issues.map(({ path, message }) => `${path}: ${message}`).join("; ") };
  });
}

/**
 * The windows that an object's annotation names, in its own namespace where none is given; undefined when it names
 * none. A name without a window stands in the answer with its problem.
 */
export function annotatedWindows(
  windowReferrer: KubernetesObject,
  windows: readonly NamedWindow[],
): readonly NamedWindow[] | undefined {
  const wanted = windowNamesOf(windowReferrer);
  if (wanted.length === 0) return undefined;
  return wanted.map(
    (one) =>
      windows.find((window) => nameOf(window) === nameOf(one)) ?? {
        ...one,
        problem: "there is no such MaintenanceWindow",
        isMissing: true as const,
      },
  );
}

/** The windows whose clusterSelector selects a cluster with these labels. */
export function selectedWindows(
  labels: Readonly<Record<string, string>> | undefined,
  windows: readonly NamedWindow[],
): readonly NamedWindow[] {
  return windows.filter(
    (one) => "window" in one && one.window.clusterSelector && selects(one.window.clusterSelector, labels),
  );
}

/** What is asked of a window: whether it lets this happen at all. */
export type Allowed = (window: MaintenanceWindow) => boolean;

const latest = (a: Opening, b: Opening) => (b.end > a.end ? b : a);

/** The next moment at which one of the windows opens. */
function soonestStart(windows: readonly MaintenanceWindow[], now: Date): Date | undefined {
  const starts = windows.flatMap((window) => nextStart(window, now) ?? []);
  return starts.sort((a, b) => a.getTime() - b.getTime())[0];
}

/**
 * Whether the windows let something happen at `now`: one that is open is enough. A window that cannot be read stays
 * shut: a mistake in it must never start work at noon.
 */
export function gateAt(windows: readonly NamedWindow[], allowed: Allowed, now: Date): Gate {
  const names = windows.map(nameOf);
  if (windows.length === 0) return { windows: names, atEnd: "Finish", isOpen: true };
  const usable = windows.flatMap((one) => ("window" in one && allowed(one.window) ? [one.window] : []));
  const atEnd: AtEnd = usable.some((window) => window.atEnd === "Finish") ? "Finish" : "Suspend";
  const open = usable.flatMap((window) => {
    const opening = openingAt(window, now);
    return opening ? [{ window, opening }] : [];
  });
  if (open.length > 0) {
    const opening = open.map((one) => one.opening).reduce(latest);
    return { windows: names, atEnd, isOpen: true, opening };
  }
  const opensAt = soonestStart(usable, now);
  const problems = windows.flatMap((one) => ("problem" in one ? [`${nameOf(one)}: ${one.problem}`] : []));
  const until = opensAt ? `until ${opensAt.toISOString().replace(".000Z", "Z")}` : "for good";
  const reason = [`${names.join(", ")} ${names.length > 1 ? "are" : "is"} closed ${until}`, ...problems].join(
    "; ",
  );
  return { windows: names, atEnd, isOpen: false, ...(opensAt ? { opensAt } : {}), reason };
}

/** Answers for many things at one moment; windows that decide about several of them are asked once. */
export type Gatekeeper = (
  /** The objects that may name windows; the first that does decides, and labels select none then. */
  windowReferrers: readonly KubernetesObject[],
  labels: Readonly<Record<string, string>> | undefined,
) => Gate;

/** A gatekeeper for these MaintenanceWindows. */
export function gatekeeper(objects: readonly KubernetesObject[], allowed: Allowed, now: Date): Gatekeeper {
  const all = namedWindows(objects);
  const known = new Map<string, Gate>();
  return (windowReferrers, labels) => {
    const named = windowReferrers
      .map((windowReferrer) => annotatedWindows(windowReferrer, all))
      .find((some) => some !== undefined);
    const windows = named ?? selectedWindows(labels, all);
    const key = JSON.stringify(windows.map(nameOf));
    const gate = known.get(key) ?? gateAt(windows, allowed, now);
    known.set(key, gate);
    return gate;
  };
}

/** True when some window selects clusters by their labels, so that those have to be known. */
export function needsLabels(
  objects: readonly KubernetesObject[],
  windowReferrers: readonly KubernetesObject[],
): boolean {
  const isNamed = windowReferrers.some(
    (windowReferrer) => annotatedWindows(windowReferrer, []) !== undefined,
  );
  return !isNamed && namedWindows(objects).some((one) => "window" in one && one.window.clusterSelector);
}
