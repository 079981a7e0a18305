import { fieldsOf } from "../../kubernetes/json/values.ts";
import { type KubernetesObject, namespacedName, withAnnotation } from "../../kubernetes/object.ts";
import { isFinalState } from "../../precache-model/cluster-state.ts";
import { labelsByCluster } from "../../precache-model/planned-upgrade.ts";
import { bytesPerGib } from "../../precache-model/precache-plan.ts";
import { configsOf } from "../../precache-model/upgrade-spec.ts";
import {
  bandwidthAnnotation,
  bandwidthAnnotations,
  bandwidthText,
  limitAnnotations,
  readLimits,
} from "../../precache-start/limits.ts";
import { linksOf } from "../../precache-start/remaining-download.ts";
import { durationText } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import {
  decidingWindows,
  gateAt,
  type NamedWindow,
  windowAnnotation,
  windowNamesOf,
} from "../../windows/gate.ts";
import { longestOpening } from "../../windows/openings.ts";
import { answerText, type Due } from "./due-time.ts";
import { type Forecast, type ForecastInput, forecast, lateness, notDoneBy } from "./forecast.ts";

/** A change to the upgrade, its windows or its links, and how many clusters are late with it. */
export type Remedy = Readonly<{ change: string; late: number }>;

/** A change that may be made in several sizes, the smallest first. */
type Candidate = Readonly<{
  sizes: readonly number[];
  describe(size: number): string;
  apply(size: number): ForecastInput;
}>;

const minuteMs = 60_000;

const annotated = (input: ForecastInput, name: string, value: string): ForecastInput => ({
  ...input,
  cgu: withAnnotation(input.cgu, name, value),
});

/** Limits are raised to at most this many times as much. */
const maxTimes = 16;

function limitCandidates(input: ForecastInput): readonly Candidate[] {
  const { cgu, upgrade, surroundings } = input;
  const { maxConcurrency, clusters } = upgrade;
  const { site, registries } = readLimits([cgu, ...configsOf(cgu, surroundings.configs)]);
  const raised = (max: number) =>
    Array.from(
      { length: Math.max(0, Math.min(clusters.length, max * maxTimes) - max) },
      (_, index) => max + index + 1,
    );
  const concurrency: readonly Candidate[] =
    maxConcurrency >= 1
      ? [
          {
            sizes: raised(maxConcurrency),
            describe: (size) => sentence`maxConcurrency ${size} instead of ${maxConcurrency}`,
            apply: (size) => ({ ...input, upgrade: { ...upgrade, maxConcurrency: size } }),
          },
        ]
      : [];
  const ofSites: readonly Candidate[] = site
    ? [
        {
          sizes: raised(site.max),
          describe: (size) => sentence`${limitAnnotations.perSite} ${size} instead of ${site.max}`,
          apply: (size) => annotated(input, limitAnnotations.perSite, String(size)),
        },
      ]
    : [];
  const ofRegistries = [...registries].map(
    ([host, max]): Candidate => ({
      sizes: raised(max),
      describe: (size) => sentence`${limitAnnotations.perRegistry} ${host}=${size} instead of ${max}`,
      apply: (size) =>
        annotated(
          input,
          limitAnnotations.perRegistry,
          [...registries].map(([one, value]) => `${one}=${one === host ? size : value}`).join(","),
        ),
    }),
  );
  return [...concurrency, ...ofSites, ...ofRegistries];
}

/** Returns the windows that keep clusters from pulling at some time. */
function windowsOf(
  { cgu, surroundings }: ForecastInput,
  clusters: readonly string[],
): readonly NamedWindow[] {
  const find = decidingWindows(surroundings.windows);
  const labelsOf = labelsByCluster(surroundings.managedClusters);
  const annotatedObjects = [cgu, ...configsOf(cgu, surroundings.configs)];
  const all = clusters.flatMap((cluster) => find(annotatedObjects, labelsOf(cluster)));
  return [...new Set(all)].filter((one) => "window" in one && one.window.allow.preCaching);
}

type Opening = Readonly<{ start: Date; minutes: number }>;

/** Returns the input with one more opening of some windows, which the same clusters use. */
function withOpenings(
  input: ForecastInput,
  windows: readonly NamedWindow[],
  openingOf: (window: NamedWindow) => Opening | undefined,
): ForecastInput {
  const { surroundings } = input;
  const added = windows.flatMap((window): KubernetesObject[] => {
    const opening = openingOf(window);
    const object = surroundings.windows.find(
      ({ metadata }) => namespacedName(metadata) === `${window.namespace}/${window.name}`,
    );
    if (!opening || !object) return [];
    const { start, minutes } = opening;
    const [minute, hour] = [start.getUTCMinutes(), start.getUTCHours()];
    const schedule = `${minute} ${hour} ${start.getUTCDate()} ${start.getUTCMonth() + 1} *`;
    const { exclusions: _exclusions, ...spec } = fieldsOf(object.spec);
    const metadata = { ...object.metadata, name: `${window.name}-more` };
    return [{ ...object, metadata, spec: { ...spec, schedule, timeZone: "UTC", duration: `${minutes}m` } }];
  });
  const changed = {
    ...input,
    surroundings: { ...surroundings, windows: [...surroundings.windows, ...added] },
  };
  const naming = [input.cgu, ...configsOf(input.cgu, surroundings.configs)].find(
    (object) => windowNamesOf(object).length > 0,
  );
  if (!naming) return changed;
  const names = windowNamesOf(naming).map(({ namespace, name }) => `${namespace}/${name}`);
  const more = added.map(({ metadata }) => namespacedName(metadata));
  return annotated(changed, windowAnnotation, [...names, ...more].join(","));
}

const windowText = (windows: readonly NamedWindow[]): string => {
  const [first] = windows;
  return first && windows.length === 1
    ? sentence`${first.namespace}/${first.name}`
    : `${windows.length} windows`;
};

function windowCandidates(input: ForecastInput, late: readonly string[], by: Date): readonly Candidate[] {
  const windows = windowsOf(input, late);
  const { now } = input;
  const gateOf = (window: NamedWindow, at: Date) => gateAt([window], () => true, { now: at });
  const opensAt = (window: NamedWindow) => {
    const gate = gateOf(window, now);
    return gate.isOpen ? undefined : gate.opensAt;
  };
  const closed = windows.filter((window) => opensAt(window));
  const untilFirst = Math.max(
    0,
    ...closed.map((window) => (opensAt(window) ?? now).getTime() - now.getTime()),
  );
  const earlier: Candidate = {
    sizes: [15, 30, 60, 120, 240, 480, 1440].filter((minutes) => minutes * minuteMs < untilFirst),
    describe: (minutes) =>
      sentence`${windowText(closed)} once opens ${durationText(minutes * minuteMs)} earlier`,
    apply: (minutes) =>
      withOpenings(input, closed, (window) => {
        const first = opensAt(window)?.getTime() ?? 0;
        const start = Math.max(first - minutes * minuteMs, now.getTime() + minuteMs);
        return { start: new Date(start), minutes: Math.ceil((first - start) / minuteMs) };
      }),
  };
  const lengthOf = (window: NamedWindow) => ("window" in window ? longestOpening(window.window, now) : 0);
  /** The last time before `by` at which a window is closed for as long as it usually is open. */
  const moreOpening = (window: NamedWindow): Opening | undefined => {
    const length = lengthOf(window);
    for (let start = by.getTime() - length; start > now.getTime(); start -= length / 2)
      if (!gateOf(window, new Date(start)).isOpen && !gateOf(window, new Date(start + length - 1)).isOpen)
        return { start: new Date(start), minutes: Math.floor(length / minuteMs) };
    return undefined;
  };
  const more: Candidate = {
    sizes: windows.some(moreOpening) ? [1] : [],
    describe: () => sentence`one more opening of ${windowText(windows)} before then`,
    apply: () => withOpenings(input, windows, moreOpening),
  };
  return [earlier, more];
}

/** The annotation takes few decimals, and a product may have many. */
const rounded = (mbit: number) => Number(mbit.toFixed(3));

/** More bandwidth: at the sites of late clusters, if each has a link of its own, otherwise everywhere. */
function bandwidthCandidate(input: ForecastInput, late: readonly string[]): Candidate {
  const { cgu, surroundings, pulls } = input;
  const annotatedObjects = [cgu, ...configsOf(cgu, surroundings.configs)];
  const labelsOf = labelsByCluster(surroundings.managedClusters);
  const linkOf = linksOf(annotatedObjects, labelsOf);
  const { elsewhere, bySite } = bandwidthAnnotations(annotatedObjects).bandwidths;
  const sites = new Set(late.flatMap((cluster) => linkOf(cluster)?.site ?? []));
  const isOfSites = late.every((cluster) => linkOf(cluster)?.site !== undefined);
  const isFaster = (site: string | undefined) => !isOfSites || (site !== undefined && sites.has(site));
  const named = [...sites].slice(0, 3).join(", ");
  const where = isOfSites ? sentence` at ${named}${sites.size > 3 ? ", …" : ""}` : "";
  return {
    sizes: [1.25, 1.5, 2, 3, 4, 6, 8],
    describe: (times) => sentence`${times} times the bandwidth${where}`,
    apply(times) {
      const faster = [...pulls].map(
        ([cluster, pull]) =>
          [cluster, isFaster(linkOf(cluster)?.site) ? { ...pull, bytes: pull.bytes * times } : pull] as const,
      );
      const text = bandwidthText({
        elsewhere: elsewhere === undefined ? undefined : rounded(elsewhere * (isOfSites ? 1 : times)),
        bySite: new Map(
          [...bySite].map(([site, mbit]) => [site, rounded(mbit * (isFaster(site) ? times : 1))]),
        ),
      });
      const changed = { ...input, pulls: new Map(faster) };
      return text === "" ? changed : annotated(changed, bandwidthAnnotation, text);
    },
  };
}

/**
 * Returns the smallest change of each sort with which no cluster is late, the least first; if none is enough, the one that
 * helps most. Each is tried in the same simulation. A cluster that has failed needs a retry, and is not counted.
 */
export function remedies(input: ForecastInput, { byCluster }: Forecast, by: Date): readonly Remedy[] {
  const time = by.toISOString();
  const known = byCluster.filter(({ state, name }) => {
    const hasFailed = state === "failed" && isFinalState(input.records.get(name)?.state);
    return state !== "unknown" && state !== "done" && !hasFailed;
  });
  const names = known.map(({ name }) => name);
  const late = known.filter((one) => lateness(one, time) === "late").map(({ name }) => name);
  if (late.length === 0) return [];
  const found = [
    ...limitCandidates(input),
    ...windowCandidates(input, late, by),
    bandwidthCandidate(input, late),
  ].flatMap(({ sizes, describe, apply }): Remedy[] => {
    const lateWith = (index: number) => notDoneBy(apply(sizes[index] ?? 0), names, by).length;
    let enough = sizes.length - 1;
    if (enough < 0) return [];
    const atMost = lateWith(enough);
    if (atMost > 0) return [{ change: describe(sizes[enough] ?? 0), late: atMost }];
    for (let below = -1; enough - below > 1; ) {
      const middle = (enough + below) >> 1;
      if (lateWith(middle) === 0) enough = middle;
      else below = middle;
    }
    return [{ change: describe(sizes[enough] ?? 0), late: 0 }];
  });
  const enough = found.filter((one) => one.late === 0);
  const best = found.filter((one) => one.late < late.length).sort((a, b) => a.late - b.late);
  return enough.length > 0 ? enough : best.slice(0, 1);
}

/** A forecast; if a time was asked for, with the answer in a line, and changes that make fewer clusters late, or none. */
export type RemediedForecast = Forecast & Readonly<{ answer?: string; remedies?: readonly Remedy[] }>;

/**
 * Returns a forecast for the time that was asked for; spaceRequired is the upper bound of unknown downloads. With `isSearched` also what helps if clusters are late: that takes
 * several more simulations.
 */
export function forecastFor(
  given: ForecastInput,
  due: Due | undefined,
  { isSearched }: Readonly<{ isSearched: boolean }>,
): RemediedForecast {
  if (!due) return forecast(given);
  const space = Number(given.upgrade.content.spaceRequired) * bytesPerGib;
  const input: ForecastInput = {
    ...given,
    ...(due.byCluster && { dueByCluster: due.byCluster }),
    ...(space > 0 && { atMostBytes: space }),
  };
  const found = forecast(input, due.at);
  const answered = { ...found, answer: answerText(found, due) };
  return isSearched && found.late > 0 ? { ...answered, remedies: remedies(input, found, due.at) } : answered;
}
