import type { KubernetesObject } from "../../kubernetes/object.ts";
import { labelsByCluster } from "../../precache-model/planned-upgrade.ts";
import { bytesPerGib } from "../../precache-model/precache-plan.ts";
import { configsOf } from "../../precache-model/upgrade-spec.ts";
import { counted } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import { decidingWindows, gateAt, type NamedWindow } from "../../windows/gate.ts";
import type { MaintenanceWindow } from "../../windows/maintenance-window.ts";
import { wallClock, type Zone } from "../../windows/zone.ts";
import { type EndForecast, type Forecast, type ForecastInput, forecast } from "./forecast.ts";

/**
 * When clusters must be done: at an instant, at the start of a day (in days since 1970-01-01) or of a weekday (0 is
 * Sunday), or, with `windows`, when the current or next opening of each cluster ends.
 */
export type DueTime =
  | Readonly<{ at: Date }>
  | Readonly<{ day: number }>
  | Readonly<{ weekday: number }>
  | Readonly<{ windows: true }>;

/** The instant by which clusters must be done, and the zone in which it is shown. */
export type Due = Readonly<{
  /** When all clusters must be done: the last time in `byCluster`, if that is set. */
  at: Date;
  zone: Zone;
  /** When the current or next opening of each cluster's windows ends; absent if the user did not ask about openings. */
  byCluster?: ReadonlyMap<string, Date>;
}>;

/** The time zones to choose from. `asked` is the zone that the user names, `local` the zone of the user's computer. */
export type DueZones = Readonly<{ asked: Zone | undefined; local: Zone; utc: Zone }>;

const dayMs = 24 * 60 * 60 * 1000;

const allowsPreCaching = ({ allow }: MaintenanceWindow) => allow.preCaching;

function endOfNextOpening(windows: readonly NamedWindow[], now: Date): Date | undefined {
  const gate = gateAt(windows, allowsPreCaching, { now });
  if (gate.isOpen) return gate.opening?.end;
  return gate.opensAt && endOfNextOpening(windows, gate.opensAt);
}

/** Returns the first day after `today` that is this weekday, in days since 1970-01-01. Weekday 0 is Sunday. */
function nextWeekday(today: number, weekday: number): number {
  // 1970-01-01 was a Thursday.
  const days = (((weekday - today - 4) % 7) + 7) % 7;
  return today + (days === 0 ? 7 : days);
}

function windowsByCluster({ cgu, upgrade, surroundings }: ForecastInput) {
  const find = decidingWindows(surroundings.windows);
  const labelsOf = labelsByCluster(surroundings.managedClusters);
  const annotatedObjects: readonly KubernetesObject[] = [cgu, ...configsOf(cgu, surroundings.configs)];
  return new Map(upgrade.clusters.map((cluster) => [cluster, find(annotatedObjects, labelsOf(cluster))]));
}

/**
 * Returns the time by which an upgrade's clusters must be done, or why it cannot be determined (`problem`). A day
 * starts in the zone that the user names, or else in the windows' zone, or else in the local zone.
 */
export function dueOf(
  wanted: DueTime,
  input: ForecastInput,
  { asked, local, utc }: DueZones,
): Due | Readonly<{ problem: string }> {
  if ("at" in wanted) return { at: wanted.at, zone: asked ?? utc };
  const { now } = input;
  const windows = windowsByCluster(input);
  const zones = new Map(
    [...new Set(windows.values())].flatMap((some) =>
      some.flatMap((one) =>
        "window" in one && allowsPreCaching(one.window)
          ? [[one.window.zone.name, one.window.zone] as const]
          : [],
      ),
    ),
  );
  const [first = local] = zones.values();
  if ("windows" in wanted) {
    const ends = new Map([...new Set(windows.values())].map((some) => [some, endOfNextOpening(some, now)]));
    const byCluster = new Map(
      [...windows].flatMap(([cluster, some]) => {
        const end = ends.get(some);
        return end ? [[cluster, end] as const] : [];
      }),
    );
    if (byCluster.size === 0) return { problem: "no window of its clusters has an opening with an end" };
    const at = new Date(Math.max(...[...byCluster.values()].map((end) => end.getTime())));
    return { at, zone: asked ?? (zones.size === 1 ? first : utc), byCluster };
  }
  if (!asked && zones.size > 1)
    return { problem: sentence`its windows have several time zones (${[...zones.keys()].join(", ")})` };
  const zone = asked ?? first;
  const today = Math.floor(zone.wallTimeAt(now) / dayMs);
  const day = "day" in wanted ? wanted.day : nextWeekday(today, wanted.weekday);
  return { at: new Date(zone.localDay(day).instantOf(day * dayMs)), zone };
}

/** Returns a forecast for this due time, with an `answer` to the user who asked. */
export function forecastFor(given: ForecastInput, due: Due): Forecast {
  const space = Number(given.upgrade.content.spaceRequired) * bytesPerGib;
  const input: ForecastInput = {
    ...given,
    ...(due.byCluster && { dueByCluster: due.byCluster }),
    ...(space > 0 && { atMostBytes: space }),
  };
  const found = forecast(input, due.at);
  return { ...found, answer: answerText(found, due) };
}

function answerText(
  { clusters, late, unknown, atRisk, expectedEnd, latestEnd }: EndForecast,
  { at, zone, byCluster }: Due,
): string {
  const timeText = (time: Date) => sentence`${wallClock(zone, time)} ${zone.name}`;
  const all = counted(clusters, "cluster");
  const due = byCluster
    ? sentence`the end of the next opening (the last ends ${timeText(at)})`
    : timeText(at);
  if (late > 0) return sentence`no: ${late} of ${all} ${late === 1 ? "is" : "are"} late for ${due}`;
  if (unknown > 0)
    return sentence`unknown: no cluster is known to be late for ${due}, but the end of ${unknown} of ${all} is unknown`;
  const ends =
    expectedEnd === null
      ? ""
      : sentence`: expected ${timeText(new Date(expectedEnd))}, at the latest ${latestEnd === null ? "unknown" : timeText(new Date(latestEnd))}`;
  const risk = atRisk ? sentence`; ${atRisk} may be late` : "";
  return sentence`yes: ${clusters === 1 ? "the cluster has its" : sentence`all ${all} have their`} images by ${due}${ends}${risk}`;
}
