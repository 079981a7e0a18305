import { type Issue, versionIssues } from "../issues/issue.ts";
import { type KubernetesObject, kinds, namespaceOf } from "../kubernetes/object.ts";
import { type MaintenanceWindow, readMaintenanceWindow } from "./maintenance-window.ts";
import { nextOpenings, type Opening } from "./openings.ts";
import { maintenanceWindowIssues } from "./validate-windows.ts";

/** A MaintenanceWindow with its next openings, one in progress first. */
export type ListedWindow = Readonly<{
  namespace: string;
  name: string;
  /** Absent where the window cannot be read. */
  window?: MaintenanceWindow;
  openings: readonly Opening[];
  issues: readonly Issue[];
}>;

/** Returns what may happen while a window is open: `pre-caching, worker: reboot, hosted clusters: replace`. */
export function allowedText({ allow }: MaintenanceWindow): string {
  const { preCaching, maxCost, hostedClusterCost } = allow;
  const hosted = hostedClusterCost ? [["hosted clusters", hostedClusterCost] as const] : [];
  const costs = [...maxCost, ...hosted].map(([whose, cost]) => `${whose}: ${cost}`);
  return [...(preCaching ? ["pre-caching"] : []), ...costs].join(", ") || "nothing";
}

/** Returns a window that cannot be read, or whose version is not served: it never opens. */
export function unlistedWindow(object: KubernetesObject, issues: readonly Issue[] = []): ListedWindow {
  return { namespace: namespaceOf(object), name: object.metadata.name, openings: [], issues };
}

/** Returns a window with its next `count` openings. */
export function listWindow(object: KubernetesObject, now: Date, count: number): ListedWindow {
  const notServed = versionIssues(kinds.MaintenanceWindow, object);
  if (notServed.length > 0) return unlistedWindow(object, notServed);
  const { window } = readMaintenanceWindow(object);
  const issues = maintenanceWindowIssues(object, now);
  if (!window) return unlistedWindow(object, issues);
  return { ...unlistedWindow(object, issues), window, openings: nextOpenings(window, now, count) };
}
