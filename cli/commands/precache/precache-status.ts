import { setTimeout as sleep } from "node:timers/promises";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { type FleetStatus, fleetStatus } from "#shared/domain/precache/progress/fleet-status.ts";
import { HubError, type HubReader } from "#shared/ports/hub.ts";
import { printIssues } from "../../io/issue-text.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { readSources } from "../../io/manifest-source.ts";
import { joined, print, type SafeText, safe } from "../../io/safe-text.ts";
import { objectNames, type StructuredFormat, structured } from "../../io/structured-output.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { isSelected, type SelectionOptions } from "../../program/object-selection.ts";
import { canDraw, liveScreen } from "../../screen/live-screen.ts";
import { screenLines } from "../../screen/screen.ts";
import { statusTable } from "./status-table.ts";

export type PrecacheStatusOptions = Readonly<{
  filename?: readonly string[];
  output: "table" | "wide" | "name" | StructuredFormat;
  watch?: boolean;
}> &
  SelectionOptions;

const watchMs = 2_000;
const read = [kinds.ClusterGroupUpgrade, kinds.PreCachingReport];
const readForWindows = [kinds.PreCachingConfig, kinds.ManagedCluster];

/**
 * Reads the windows of the hub and the objects that they depend on. Without permission, the status shows progress but
 * not which window a cluster waits for.
 */
async function readWindows(hub: HubReader): Promise<readonly KubernetesObject[]> {
  try {
    const windows = await hub.list(kinds.MaintenanceWindow);
    if (windows.length === 0) return [];
    return [windows, ...(await Promise.all(readForWindows.map((kind) => hub.list(kind))))].flat();
  } catch (error) {
    if (error instanceof HubError && error.code === "Forbidden") return [];
    throw error;
  }
}

const readHub = () =>
  onLiveHub(async (hub) => {
    const lists = await Promise.all([...read.map((kind) => hub.list(kind)), readWindows(hub)]);
    return lists.flat();
  });

function statusesOf(
  objects: readonly KubernetesObject[],
  name: string | undefined,
  selection: SelectionOptions,
  now: Date,
): readonly FleetStatus[] {
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  const reports = ofKind(kinds.PreCachingReport.kind);
  const selected = ofKind(kinds.ClusterGroupUpgrade.kind).filter((cgu) => isSelected(cgu, selection));
  const cgus = selected.filter(
    ({ metadata }) =>
      name === undefined || name === metadata.name || name === `${metadata.namespace}/${metadata.name}`,
  );
  if (name !== undefined && cgus.length === 0) throw new UsageError(`no such ClusterGroupUpgrade: ${name}`);
  const windows = {
    windows: ofKind(kinds.MaintenanceWindow.kind),
    configs: ofKind(kinds.PreCachingConfig.kind),
    managedClusters: ofKind(kinds.ManagedCluster.kind),
  };
  return cgus.flatMap((cgu) => fleetStatus(cgu, reports, now, windows) ?? []);
}

function shown(
  statuses: readonly FleetStatus[],
  output: PrecacheStatusOptions["output"],
  now: Date,
): SafeText {
  if (output === "json" || output === "yaml") return structured(statuses, output);
  if (output === "name") return objectNames(kinds.ClusterGroupUpgrade, statuses);
  if (statuses.length === 0) return safe`No ClusterGroupUpgrade is pre-cached by hubrelay.\n`;
  return joined(
    statuses.map((status) =>
      statusTable(status, now, output === "wide" ? Number.POSITIVE_INFINITY : undefined),
    ),
    safe`\n`,
  );
}

const isOver = (statuses: readonly FleetStatus[]): boolean =>
  statuses.every(({ ended, total }) => ended === total);

/** Draws the fleets in place until all have ended. */
async function drawUntilOver(find: (now: Date) => Promise<readonly FleetStatus[]>): Promise<void> {
  let fleets = await find(new Date());
  const screen = liveScreen(process.stdout, (size) => {
    const state = { now: new Date(), watched: "the hub", activity: "", hint: "Press Ctrl-C to end." };
    return screenLines({ ...state, fleets, problems: [], changes: [] }, size);
  });
  try {
    while (!isOver(fleets)) {
      await sleep(watchMs);
      fleets = await find(new Date());
      screen.draw();
    }
  } finally {
    screen.end();
  }
}

/** Prints the fleets again after each change until all have ended; with `watch` false, once. */
async function printUntilOver(
  find: (now: Date) => Promise<readonly FleetStatus[]>,
  { output, watch }: Pick<PrecacheStatusOptions, "output" | "watch">,
): Promise<void> {
  let last = "";
  for (;;) {
    const now = new Date();
    const statuses = await find(now);
    const next = shown(statuses, output, now);
    if (next.toString() !== last) print(next);
    last = next.toString();
    if (!watch || isOver(statuses)) return;
    await sleep(watchMs);
  }
}

/**
 * Runs `hubrelay precache status`: prints the progress of fleets. With `watch` it draws them in place on a terminal, and
 * prints them again after each change elsewhere, until all have ended. Returns the exit code.
 */
export async function precacheStatus(
  name: string | undefined,
  { filename, output, watch = false, ...selection }: PrecacheStatusOptions,
): Promise<number> {
  if (filename) {
    if (watch) throw new UsageError("--watch cannot be used with -f.");
    const { objects, issues } = await readSources(filename);
    const now = new Date();
    const found = objects.map(({ object }) => object);
    print(shown(statusesOf(found, name, selection, now), output, now));
    return printIssues(issues, "text");
  }
  const find = async (now: Date) => statusesOf(await readHub(), name, selection, now);
  if (watch && output === "table" && canDraw(process.stdout, process.env)) await drawUntilOver(find);
  else await printUntilOver(find, { output, watch });
  return exitCodes.fine;
}
