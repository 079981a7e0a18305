import { isOfAnyVersion, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { openingLength } from "#shared/domain/windows/openings.ts";
import { type ListedWindow, listWindow } from "#shared/domain/windows/validate-windows.ts";
import { wallClock, type Zone } from "#shared/domain/windows/zone.ts";
import { clusterSides } from "../../io/clusters/cluster-sides.ts";
import { isSelected } from "../../io/is-selected.ts";
import { manifestsOrHub, type PlacedSide } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { printResult, type ResultOptions } from "../../io/print-result.ts";
import { listedBySide, type OfSide, ofSide, reportClusters } from "../../io/report/side-lists.ts";
import { painted, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { tableWithHeadings } from "../../io/table.ts";
import type { SelectionOptions } from "../../program/object-selection.ts";
import { ownZones } from "../../program/option-values.ts";

const headings = ["NAMESPACE", "NAME", "STATE", "FLEET START", "LOCAL START", "DURATION"];

function windowsTable(
  windows: readonly ListedWindow[],
  { now, reader }: Readonly<{ now: Date; reader: Zone }>,
): SafeText {
  if (windows.length === 0) return safe`No MaintenanceWindows found.\n`;
  const rows = windows.flatMap(({ namespace, name, window, openings }) => {
    if (!window || openings.length === 0)
      return [[namespace, name, painted("yellow", "shut"), "-", "-", "-"]];
    const { zone } = window;
    return openings.map((opening) => [
      namespace,
      name,
      opening.start <= now ? painted("green", "open") : "",
      `${wallClock(zone, opening.start)} ${zone.name}`,
      `${wallClock(reader, opening.start)} ${reader.name}`,
      openingLength(opening),
    ]);
  });
  return tableWithHeadings(headings, rows);
}

export type WindowsOptions = Readonly<{
  /** The time from which openings are listed; absent for the current time. */
  now?: Date;
  next: number;
  output: "table" | StructuredFormat;
}> &
  ResultOptions &
  SelectionOptions;

const instant = (date: Date) => date.toISOString().replace(/\.000Z$/, "Z");

function shown(
  all: readonly (ListedWindow & OfSide)[],
  output: WindowsOptions["output"],
  now: Date,
): SafeText {
  return rendered(
    all,
    output,
    (clean) => listedBySide(clean, (own) => windowsTable(own, { now, reader: ownZones().local })),
    (clean) =>
      clean.map(({ side, namespace, name, openings }) => ({
        ...(side === undefined ? {} : { side }),
        namespace,
        name,
        openings: openings.map(({ start, end }) => ({ start: instant(start), end: instant(end) })),
      })),
  );
}

/** Runs `hubrelay windows`: prints the next openings of every MaintenanceWindow. Returns the exit code. */
export function windows(options: WindowsOptions): Promise<number> {
  const { filename, next, output } = options;
  return printResult(async () => {
    const { now = new Date() } = options;
    const read = await manifestsOrHub(filename, [kinds.MaintenanceWindow]);
    requireObjects(read, { paths: filename, command: "windows" });
    const sides = clusterSides(read, [kinds.MaintenanceWindow]);
    reportClusters(sides);
    const isWindow = (object: KubernetesObject) =>
      isOfAnyVersion(kinds.MaintenanceWindow, object) && isSelected(object, options);
    const listed = (side: PlacedSide): readonly (ListedWindow & OfSide)[] =>
      ofSide(
        side,
        side.objects.filter(isWindow).map((object) => listWindow(object, now, next)),
      );
    const found = sides.map((side) => ({ side, all: listed(side) }));
    return {
      text: shown(
        found.flatMap(({ all }) => all),
        output,
        now,
      ),
      issues: found.flatMap(({ side: { issues, place }, all }) =>
        place([...issues, ...all.flatMap((window) => window.issues)]),
      ),
    };
  }, options);
}
