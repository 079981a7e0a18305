import { type WindowUsage, windowUsage } from "#functions/maintenance-window/window-usage.ts";
import { explanation } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { allowedText, listWindow } from "#shared/domain/windows/listed-window.ts";
import { type Opening, openingsBefore } from "#shared/domain/windows/openings.ts";
import type { Zone } from "#shared/domain/windows/zone.ts";
import type { Query, Snapshot } from "./snapshot.ts";

const day = 24 * 60 * 60 * 1000;
const days = 14;
/** A window may open every minute; more openings than these could not be distinguished in the picture. */
const maxOpenings = 400;
const listedOpenings = 5;

/** Dates on which no opening starts. */
export type Freeze = Opening & Readonly<{ reason: string }>;

export type WindowRow = Readonly<{
  /** `namespace/name`. */
  key: string;
  isSelected: boolean;
  isOpen: boolean;
  zone: Zone | undefined;
  /** What may happen while it is open; why it never opens if it cannot be read. */
  allows: string;
  problem: string | undefined;
  /** Those within the timeline. */
  openings: readonly Opening[];
  freezes: readonly Freeze[];
  /** The next ones within the timeline; else the first after it. */
  next: readonly Opening[];
  usage: WindowUsage;
}>;

export type WindowsView = Readonly<{
  from: Date;
  to: Date;
  windows: readonly WindowRow[];
  /** The name of a window in the address that does not exist. */
  missing: string | undefined;
}>;

const noUsage: WindowUsage = { inside: 0, waiting: 0 };

function usageByWindow({ list, now }: Snapshot): ReadonlyMap<string, WindowUsage> {
  const { usage } = windowUsage({
    now,
    hubId: "",
    windows: list(kinds.MaintenanceWindow),
    upgrades: list(kinds.ClusterGroupUpgrade),
    configs: list(kinds.PreCachingConfig),
    reports: list(kinds.PreCachingReport),
    managedClusters: list(kinds.ManagedCluster),
    waitingEvents: [],
  });
  return usage;
}

/** Returns the window that the address names, or all of them, with their openings over the next two weeks. */
export function windowsView(snapshot: Snapshot, { window: named }: Query): WindowsView {
  const { now, list } = snapshot;
  const to = new Date(now.getTime() + days * day);
  const usage = usageByWindow(snapshot);
  const windows = list(kinds.MaintenanceWindow).map((object): WindowRow => {
    const { namespace, name, window, openings: soonest, issues } = listWindow(object, now, 1);
    const key = `${namespace}/${name}`;
    const errors = issues.filter(({ severity }) => severity === "error");
    const openings = window ? openingsBefore(window, now, to, maxOpenings) : [];
    const freezes = (window?.exclusions ?? []).flatMap(({ from, to: last, reason = "" }): Freeze[] => {
      const start = window?.zone.instantOf(Date.parse(from));
      const end = window?.zone.instantOf(Date.parse(last) + day);
      return start && end && start < to && end > now ? [{ start, end, reason }] : [];
    });
    return {
      key,
      isSelected: key === named,
      isOpen: openings.some(({ start }) => start <= now),
      zone: window?.zone,
      allows: window ? allowedText(window) : "nothing",
      problem:
        errors.length > 0
          ? errors.map((issue) => `${issue.path}: ${explanation(issue)}`).join(" ")
          : undefined,
      openings,
      freezes,
      next: openings.length > 0 ? openings.slice(0, listedOpenings) : soonest,
      usage: usage.get(key) ?? noUsage,
    };
  });
  const isMissing = named !== undefined && !windows.some(({ isSelected }) => isSelected);
  return { from: now, to, windows, missing: isMissing ? named : undefined };
}
