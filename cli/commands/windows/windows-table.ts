import { durationText } from "#shared/domain/windows/duration.ts";
import type { Opening } from "#shared/domain/windows/openings.ts";
import type { Zone } from "#shared/domain/windows/zone.ts";
import { type SafeText, safe } from "../../io/safe-text.ts";
import { table } from "../../io/table.ts";

export type ListedWindow = Readonly<{
  namespace: string;
  name: string;
  /** Absent where the window cannot be read. */
  zone?: Zone;
  openings: readonly Opening[];
}>;

/** An instant by the clock of a zone, e.g. `2026-03-29 03:00`. */
const minutes = (zone: Zone, instant: Date) =>
  new Date(zone.wallTimeAt(instant)).toISOString().slice(0, 16).replace("T", " ");

/**
 * The openings as people read them, by the clock of the clusters and by that of whoever reads; one line for a window
 * that has none.
 */
export function windowsTable(windows: readonly ListedWindow[], now: Date, reader: Zone): SafeText {
  if (windows.length === 0) return safe`There is no MaintenanceWindow.\n`;
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
