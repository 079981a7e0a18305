import { byCodeUnit, fieldsOf, isRecord } from "../kubernetes/json/values.ts";
import { type KubernetesObject, kinds, timestamp } from "../kubernetes/object.ts";
import { type Cost, exceeds } from "../plan/cost.ts";
import { sentence } from "../text/redact.ts";
import { type Clock, clockProblem } from "./clock.ts";
import { annotatedWindows, type NamedWindow, namedWindows, nameOf, unusableWindows } from "./gate.ts";
import { waitsForWindow } from "./hold-reasons.ts";
import type { MaintenanceWindow } from "./maintenance-window.ts";
import { nextStart, openingAt } from "./openings.ts";

/** A window that allows a change although it costs more than the pool's limit. Times are in RFC 3339. */
export type CostWindow = Readonly<{
  namespace: string;
  name: string;
  /** When the window closes; absent if the window is closed. */
  closesAt?: string;
  /** When the window opens; absent if the window is open, or never opens again. */
  opensAt?: string;
}>;

/** Annotation of the Event about a waiting change: the name of the window that the change waits for. */
export const waitedForAnnotation = "hubrelay.dev/waits-for";

/** The labels of Events about waiting changes. */
export const waitingLabels = { "hubrelay.dev/function": "mirror-config" } as const;

/** Returns the names of pools whose changes wait for a window, according to Events. Keys are names of windows. */
export function waitingPools(events: readonly KubernetesObject[]): ReadonlyMap<string, readonly string[]> {
  const waiting = new Map<string, Set<string>>();
  for (const { reason, involvedObject, metadata } of events) {
    const window = metadata.annotations?.[waitedForAnnotation];
    if (reason !== waitsForWindow || !isRecord(involvedObject) || window === undefined) continue;
    const { kind, name } = involvedObject;
    if (kind !== kinds.MachineConfigPool.kind || typeof name !== "string") continue;
    waiting.set(window, (waiting.get(window) ?? new Set()).add(name));
  }
  return new Map([...waiting].map(([window, names]) => [window, [...names].sort(byCodeUnit)]));
}

/** The window that allows a change now or later. */
export type CostWindows = Readonly<{
  /** The open window that closes last, or else the window that opens first; undefined without one. */
  window: CostWindow | undefined;
  /** Why windows for this change stay closed: they are invalid, or hubrelay's clock differs from the hub's. */
  problems: readonly string[];
}>;

/** Reports whether a window's `allow.maxCost` names a pool, even if the window is invalid. */
function isMeantFor({ metadata }: KubernetesObject, { spec }: KubernetesObject): boolean {
  const { maxCost } = fieldsOf(fieldsOf(spec).allow);
  return isRecord(maxCost) && Object.hasOwn(maxCost, metadata.name);
}

function meantFor(pool: KubernetesObject, windows: readonly KubernetesObject[]): readonly NamedWindow[] {
  return namedWindows(windows.filter((window) => isMeantFor(pool, window)));
}

function costWindowOf(window: MaintenanceWindow, now: Date): CostWindow {
  const { namespace, name } = window;
  const opening = openingAt(window, now);
  if (opening) return { namespace, name, closesAt: timestamp(opening.end) };
  const next = nextStart(window, now);
  return { namespace, name, ...(next ? { opensAt: timestamp(next) } : {}) };
}

function bySoonest(a: CostWindow, b: CostWindow): number {
  const never = "~";
  return (
    byCodeUnit(b.closesAt ?? "", a.closesAt ?? "") ||
    byCodeUnit(a.opensAt ?? never, b.opensAt ?? never) ||
    byCodeUnit(nameOf(a), nameOf(b))
  );
}

/**
 * Returns the window that allows a change of this cost to a pool, now or later. Only windows that the pool's annotation
 * names are considered; without the annotation, only windows whose `allow.maxCost` names the pool.
 */
export function costWindowsFor(
  pool: KubernetesObject,
  cost: Cost,
  windows: readonly KubernetesObject[],
  clock: Clock,
): CostWindows {
  const candidates = annotatedWindows(pool, namedWindows(windows)) ?? meantFor(pool, windows);
  const allowing = candidates.flatMap((one) => {
    const allowed = "window" in one ? one.window.allow.maxCost.get(pool.metadata.name) : undefined;
    return "window" in one && allowed && !exceeds(cost, allowed) ? [costWindowOf(one.window, clock.now)] : [];
  });
  const problems = unusableWindows(candidates);
  const problem = allowing.length > 0 ? clockProblem(clock) : undefined;
  if (problem) return { window: undefined, problems: [problem, ...problems] };
  return { window: allowing.sort(bySoonest)[0], problems };
}

/** Formats a window with its next time: `fleet/night, which opens at 2026-03-02T01:00:00Z`. */
export function costWindowText(window: CostWindow): string {
  const { closesAt, opensAt } = window;
  if (closesAt) return sentence`${nameOf(window)}, which is open until ${closesAt}`;
  return sentence`${nameOf(window)}, which ${opensAt ? sentence`opens at ${opensAt}` : "never opens again"}`;
}
