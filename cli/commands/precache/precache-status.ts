import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import {
  type CheckedFleet,
  checkedFleets,
  type ForecastOf,
  type ListKind,
} from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import { type ClusterStory, clusterStories } from "#shared/domain/precache-progress/fleet/cluster-story.ts";
import { forecastInput } from "#shared/domain/precache-progress/forecast/forecast-input.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { type HubReader, ifPermitted } from "#shared/ports/hub.ts";
import { isSelected } from "../../io/is-selected.ts";
import { onLiveHub } from "../../io/live-hub.ts";
import { readSources } from "../../io/manifest-source.ts";
import { printResult, type Result, type ResultOptions } from "../../io/print-result.ts";
import { joined, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import type { SelectionOptions } from "../../program/object-selection.ts";
import { unknownName } from "../../program/unknown-name.ts";
import { clusterTable } from "./cluster-story-table.ts";
import { type DueOptions, dueExitCode, dueLines, forecastWith, requireDue } from "./due-options.ts";
import { statusTable } from "./status-table.ts";
import { isOfTalm, talmTable } from "./talm-table.ts";
import { namedUpgrades } from "./upgrade-requests.ts";

export type PrecacheStatusOptions = Readonly<{
  output: "table" | "wide" | StructuredFormat;
  cluster?: string;
}> &
  DueOptions &
  ResultOptions &
  SelectionOptions;

const read = [kinds.ClusterGroupUpgrade, kinds.PreCachingReport];
const readForWindows = [kinds.MaintenanceWindow, kinds.PreCachingConfig, kinds.ManagedCluster];

async function readWindows(hub: HubReader): Promise<readonly KubernetesObject[]> {
  return (await Promise.all(readForWindows.map((kind) => hub.list(kind)))).flat();
}

const readHub = () =>
  onLiveHub(async (hub) => {
    const [windows, others, readiness, ...lists] = await Promise.all([
      ifPermitted(readWindows(hub)),
      ifPermitted(hub.list(kinds.ImageBasedGroupUpgrade)),
      ifPermitted(hub.list(kinds.ReadinessReport)),
      ...read.map((kind) => hub.list(kind)),
    ]);
    const found = [...lists, windows.found ?? [], readiness.found ?? [], others.found ?? []].flat();
    return { found, issues: [], hasWindows: windows.isPermitted };
  });

async function readFiles(filename: readonly string[]) {
  const { objects: found, issues } = await readSources(filename);
  return { found, issues, hasWindows: true };
}

function chosenUpgrades(
  objects: readonly KubernetesObject[],
  name: string | undefined,
  selection: SelectionOptions,
): readonly KubernetesObject[] {
  const { kind } = kinds.ClusterGroupUpgrade;
  const selected = objects.filter((object) => object.kind === kind && isSelected(object, selection));
  return namedUpgrades(selected, name === undefined ? [] : [name], (cgu) => cgu);
}

const forecasts =
  (due: DueOptions): ForecastOf =>
  (cgu, sources, now) => {
    const input = forecastInput(cgu, sources, now);
    return input && forecastWith(input, due);
  };

function leftOf({ ended, total, states: { Succeeded: done = 0 }, forecast }: CheckedFleet) {
  return ended === total ? { late: total - done, unknown: 0 } : forecast;
}

function answerOf(fleet: CheckedFleet): string {
  const { forecast, total } = fleet;
  if (forecast?.answer) return forecast.answer;
  const left = leftOf(fleet);
  if (!left) return "unknown: there is no forecast";
  return left.late > 0
    ? `no: ${left.late} of ${counted(total, "cluster")} ended without all images`
    : "yes: every cluster has its images";
}

function shown(
  statuses: readonly CheckedFleet[],
  cgus: readonly KubernetesObject[],
  output: PrecacheStatusOptions["output"],
  now: Date,
  isAsked: boolean,
): SafeText {
  return rendered(statuses, output, (clean) => {
    const ofTalm = cgus.filter((cgu) => isOfTalm(cgu, now));
    const noForecast = "unknown: TALM pre-caches it, and hubrelay has no forecast";
    if (clean.length === 0 && ofTalm.length === 0)
      return safe`None of ${counted(cgus.length, "ClusterGroupUpgrade")} is pre-cached by hubrelay.\n`;
    const width = output === "wide" ? Number.POSITIVE_INFINITY : undefined;
    const judged = [
      ...clean.map((status) => ({ ...status, answer: answerOf(status) })),
      ...ofTalm.map(({ metadata }) => ({ ...metadata, answer: noForecast })),
    ];
    const tables = [...clean.map((status) => statusTable(status, now, width)), ...ofTalm.map(talmTable)];
    return safe`${isAsked ? dueLines(judged) : ""}${joined(tables, safe`\n`)}`;
  });
}

function storiesOf(statuses: readonly CheckedFleet[], cluster: string): readonly ClusterStory[] {
  const stories = clusterStories(statuses, cluster);
  if (stories.length > 0) return stories;
  const names = statuses.flatMap(({ clusters }) => clusters.map(({ name }) => name));
  const problem = `no planned ClusterGroupUpgrade pre-caches ${cluster}; 'hubrelay precache plan --clusters' shows which clusters are left out, and why`;
  throw unknownName(problem, cluster, names);
}

/** `hasOthers` is true if TALM pre-caches some upgrades, which have no forecast. */
const codeOf = (statuses: readonly CheckedFleet[], hasOthers: boolean): number =>
  dueExitCode([...statuses.map(leftOf), ...(hasOthers || statuses.length === 0 ? [undefined] : [])]);

/** Runs `hubrelay precache status`: prints the progress of fleets or of one cluster. Returns the exit code. */
export function precacheStatus(
  name: string | undefined,
  { filename, output, watch = false, by, timeZone, size, cluster, ...selection }: PrecacheStatusOptions,
): Promise<number> {
  const due = { ...(by && { by }), ...(timeZone && { timeZone }), ...(size && { size }) };
  requireDue(due);
  const find = async (): Promise<Result> => {
    const { found, issues, hasWindows } = filename ? await readFiles(filename) : await readHub();
    const now = new Date();
    const cgus = chosenUpgrades(found, name, selection);
    const list: ListKind = ({ kind }) => found.filter((object) => object.kind === kind);
    const forecastOf = hasWindows ? forecasts(due) : () => undefined;
    const statuses = checkedFleets(cgus, list, now, forecastOf);
    if (cluster !== undefined) {
      const stories = storiesOf(statuses, cluster);
      const isFinal = stories.every(({ progress }) => !progress || isFinalState(progress.state));
      return { text: rendered(stories, output, (clean) => clusterTable(clean, now)), issues, isFinal };
    }
    return {
      text: shown(statuses, cgus, output, now, by !== undefined),
      issues,
      ...(by &&
        issues.every(({ severity }) => severity !== "error") && {
          exitCode: codeOf(
            statuses,
            cgus.some((cgu) => isOfTalm(cgu, now)),
          ),
        }),
      isFinal: statuses.every(({ ended, total }) => ended === total),
    };
  };
  return printResult(find, { ...(filename && { filename }), watch });
}
