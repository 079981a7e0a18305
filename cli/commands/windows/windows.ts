import type { Issue } from "#shared/domain/issues/issue.ts";
import { isOfAnyVersion, versionIssues } from "#shared/domain/issues/served-version.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { durationText } from "#shared/domain/windows/duration.ts";
import { readMaintenanceWindow } from "#shared/domain/windows/maintenance-window.ts";
import { nextOpenings, type Opening } from "#shared/domain/windows/openings.ts";
import { maintenanceWindowIssues } from "#shared/domain/windows/validate-windows.ts";
import { namespaceOf } from "#shared/domain/windows/window-names.ts";
import { type Zone, zoneOf } from "#shared/domain/windows/zone.ts";
import { printIssues } from "../../io/issue-text.ts";
import { manifestsOrHub } from "../../io/manifest-source.ts";
import { print, type SafeText, safe } from "../../io/safe-text.ts";
import { type StructuredFormat, structured } from "../../io/structured-output.ts";
import { table } from "../../io/table.ts";

export type ListedWindow = Readonly<{
  namespace: string;
  name: string;
  /** Absent where the window cannot be read. */
  zone?: Zone;
  openings: readonly Opening[];
}>;

/** Formats an instant in a zone, e.g. `2026-03-29 03:00`. */
const minutes = (zone: Zone, instant: Date) =>
  new Date(zone.wallTimeAt(instant)).toISOString().slice(0, 16).replace("T", " ");

/**
 * Renders the openings in the zone of the clusters and in the reader's zone; one line for a window without openings.
 */
function windowsTable(windows: readonly ListedWindow[], now: Date, reader: Zone): SafeText {
  if (windows.length === 0) return safe`No MaintenanceWindows found.\n`;
  const rows = windows.flatMap(({ namespace, name, zone, openings }) =>
    zone && openings.length > 0
      ? openings.map(({ start, end }) => [
          namespace,
          name,
          start <= now ? "open" : "",
          `${minutes(zone, start)} ${zone.name}`,
          `${minutes(reader, start)} ${reader.name}`,
          durationText(end.getTime() - start.getTime()),
        ])
      : [[namespace, name, "shut", "-", "-", "-"]],
  );
  return table([["NAMESPACE", "NAME", "STATE", "FLEET START", "LOCAL START", "DURATION"], ...rows]);
}

export type WindowsOptions = Readonly<{
  /** Absent: the live hub. */
  filename?: readonly string[];
  now: Date;
  next: number;
  output: "table" | StructuredFormat;
  issues: "text" | "json";
}>;

/** A window that cannot be read, or whose version is not served, never opens. */
function unlisted(
  object: KubernetesObject,
  issues: readonly Issue[] = [],
): ListedWindow & { issues: readonly Issue[] } {
  return { namespace: namespaceOf(object), name: object.metadata.name, openings: [], issues };
}

function listed(
  object: KubernetesObject,
  now: Date,
  count: number,
): ListedWindow & { issues: readonly Issue[] } {
  const [namespace, name] = [namespaceOf(object), object.metadata.name];
  const notServed = versionIssues(kinds.MaintenanceWindow, object);
  if (notServed.length > 0) return unlisted(object, notServed);
  const { window } = readMaintenanceWindow(object);
  const issues = maintenanceWindowIssues(object, now);
  if (!window) return unlisted(object, issues);
  return { namespace, name, zone: window.zone, openings: nextOpenings(window, now, count), issues };
}

/** Returns the zone of the machine; UTC if it has no name. */
function localZone(): Zone {
  const utc = zoneOf("UTC");
  const local = zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? utc;
  if (!local) throw new Error("This Node.js has no time zones");
  return local;
}

/** RFC 3339 in UTC, to the second as windows are. */
const instant = (date: Date) => date.toISOString().replace(/\.000Z$/, "Z");

/**
 * Runs `hubrelay windows`: prints the next openings of every MaintenanceWindow on standard output, one in progress
 * first; issues on standard error. Returns the exit code.
 */
export async function windows({
  filename,
  now,
  next,
  output,
  issues: format,
}: WindowsOptions): Promise<number> {
  const { objects, issues, damaged, place } = await manifestsOrHub(filename, [kinds.MaintenanceWindow]);
  const isWindow = (object: KubernetesObject) => isOfAnyVersion(kinds.MaintenanceWindow, object);
  const all = [
    ...objects.filter(isWindow).map((object) => listed(object, now, next)),
    ...damaged.flatMap(({ object }) => (isWindow(object) ? [unlisted(object)] : [])),
  ];
  const exitCode = printIssues(place([...issues, ...all.flatMap((window) => window.issues)]), format);
  if (output === "table") print(windowsTable(all, now, localZone()));
  else {
    const listedWindows = all.map(({ namespace, name, openings }) => ({
      namespace,
      name,
      openings: openings.map(({ start, end }) => ({ start: instant(start), end: instant(end) })),
    }));
    print(structured(listedWindows, output));
  }
  return exitCode;
}
