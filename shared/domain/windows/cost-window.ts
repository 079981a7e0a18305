import { byCodeUnit } from "../json/order.ts";
import { isRecord } from "../json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { timestamp } from "../kubernetes/timestamp.ts";
import { type Cost, exceeds } from "../node-cost/cost.ts";
import { annotatedWindows, namedWindows } from "./gate.ts";
import type { MaintenanceWindow } from "./maintenance-window.ts";
import { nextStart, openingAt } from "./openings.ts";
import { nameOf } from "./window-names.ts";

/** A window that lets a change cost a pool's nodes more than the pool allows by itself. Times in RFC 3339. */
export type CostWindow = Readonly<{
  namespace: string;
  name: string;
  /** While it is open: until then the change may be written. */
  closesAt?: string;
  /** While it is closed: the change waits until then; absent when it never opens again. */
  opensAt?: string;
}>;

/** The reason of the Event on a pool whose change waits, and the annotation of that Event which names the window. */
export const waitsForWindow = "ChangeWaitsForWindow";
export const waitedForAnnotation = "hubrelay.dev/waits-for";

/** How those Events are found. */
export const waitingLabels = { "hubrelay.dev/function": "mirror-config" } as const;

/** The pools whose changes wait, by the name of the window that they wait for, as their Events tell. */
export function waitingPools(events: readonly KubernetesObject[]): ReadonlyMap<string, readonly string[]> {
  const waiting = new Map<string, Set<string>>();
  for (const { reason, involvedObject, metadata } of events) {
    const window = metadata.annotations?.[waitedForAnnotation];
    if (reason !== waitsForWindow || !isRecord(involvedObject) || window === undefined) continue;
    waiting.set(window, (waiting.get(window) ?? new Set()).add(String(involvedObject.name)));
  }
  return new Map([...waiting].map(([window, pools]) => [window, [...pools].sort(byCodeUnit)]));
}

/** Windows that decide about a change which costs more than its pool allows. */
export type CostWindows = Readonly<{
  /** The open one that closes last, else the one that opens first; undefined when no window is for the change. */
  window: CostWindow | undefined;
  /** Windows that should decide and cannot be read: they stay shut. */
  problems: readonly string[];
}>;

/** Also of a window that is wrong elsewhere: whoever waits for it is told why it stays shut. */
function isMeantFor(pool: string, { spec }: KubernetesObject): boolean {
  const allow = isRecord(spec) ? spec.allow : undefined;
  const maxCost = isRecord(allow) ? allow.maxCost : undefined;
  return isRecord(maxCost) && Object.hasOwn(maxCost, pool);
}

function lookAt(window: MaintenanceWindow, now: Date): CostWindow {
  const { namespace, name } = window;
  const opening = openingAt(window, now);
  if (opening) return { namespace, name, closesAt: timestamp(opening.end) };
  const next = nextStart(window, now);
  return { namespace, name, ...(next ? { opensAt: timestamp(next) } : {}) };
}

/** Open ones first, the longest open at the front; then the closed ones, the soonest to open at the front. */
function bySoonest(a: CostWindow, b: CostWindow): number {
  const never = "~";
  return (
    byCodeUnit(b.closesAt ?? "", a.closesAt ?? "") ||
    byCodeUnit(a.opensAt ?? never, b.opensAt ?? never) ||
    byCodeUnit(nameOf(a), nameOf(b))
  );
}

/**
 * The windows for a change of this cost to a pool: those that the pool names in its annotation, else all whose
 * `allow.maxCost` names the pool. `windows` are the hub's MaintenanceWindows.
 */
export function costWindowsFor(
  pool: KubernetesObject,
  cost: Cost,
  windows: readonly KubernetesObject[],
  now: Date,
): CostWindows {
  const { name } = pool.metadata;
  const candidates =
    annotatedWindows(pool, namedWindows(windows)) ??
    namedWindows(windows.filter((window) => isMeantFor(name, window)));
  const looks = candidates.flatMap((one) => {
    const allowed = "window" in one ? one.window.allow.maxCost.get(name) : undefined;
    return "window" in one && allowed && !exceeds(cost, allowed) ? [lookAt(one.window, now)] : [];
  });
  return {
    window: looks.sort(bySoonest)[0],
    problems: candidates.flatMap((one) => ("problem" in one ? [`${nameOf(one)}: ${one.problem}`] : [])),
  };
}

/** What a person reads about it, e.g. `fleet/night, which opens at 2026-03-02T01:00:00Z`. */
export function costWindowText(window: CostWindow): string {
  const { closesAt, opensAt } = window;
  if (closesAt) return `${nameOf(window)}, which is open until ${closesAt}`;
  return `${nameOf(window)}, which ${opensAt ? `opens at ${opensAt}` : "never opens again"}`;
}
