import type { KubernetesObject } from "../../kubernetes/object.ts";
import { durationText } from "../../windows/duration.ts";
import type { Gate } from "../../windows/gate.ts";
import { type Bandwidths, secondsFor } from "../sizes/bandwidth.ts";
import { bandwidthWishes } from "../sizes/bandwidth-wishes.ts";
import { siteLabelOf } from "./limits.ts";
import type { Records } from "./report.ts";

/** What a cluster has still to pull, and how long that takes at least: when nobody else uses its link. */
export type Rest = Readonly<{ bytes: number; mbit: number; seconds: number }>;

type Labels = Readonly<Record<string, string>> | undefined;

function mbitFor(site: string | undefined, { elsewhere, bySite }: Bandwidths): number | undefined {
  return (site === undefined ? undefined : bySite.get(site)) ?? elsewhere;
}

/** The Mbit/s to each cluster, as the objects tell it; undefined for one of which nothing is said. */
export function bandwidthsOf(
  namers: readonly KubernetesObject[],
  labelsOf: (cluster: string) => Labels,
): (cluster: string) => number | undefined {
  const { bandwidths } = bandwidthWishes(namers);
  const siteLabel = siteLabelOf(namers);
  return (cluster) =>
    mbitFor(siteLabel === undefined ? undefined : labelsOf(cluster)?.[siteLabel], bandwidths);
}

/**
 * The rest of each cluster, as far as it is known: from what an earlier run of this content told, and a bandwidth on
 * the objects. Undefined for a cluster that has told nothing yet.
 */
export function restsOf(
  namers: readonly KubernetesObject[],
  records: Records,
  labelsOf: (cluster: string) => Labels,
): (cluster: string) => Rest | undefined {
  const bandwidthOf = bandwidthsOf(namers, labelsOf);
  return (cluster) => {
    const { bytesTotal, bytesDone = 0 } = records.get(cluster) ?? {};
    const mbit = bandwidthOf(cluster);
    if (bytesTotal === undefined || mbit === undefined) return undefined;
    const bytes = Math.max(0, bytesTotal - bytesDone);
    return { bytes, mbit, seconds: secondsFor(bytes, mbit) };
  };
}

const gib = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;

/** Of a rest that is longer than this part of an opening no opening is sure to be long enough. */
const wholeOpening = 0.9;

/**
 * Why a cluster is not started in what is left of an opening, although it is open; undefined when it may start. What
 * fits the next opening waits for it. What no opening is long enough for starts in the first half of each: it goes on
 * in the next, and would else never begin. A rest that is not known holds nothing back.
 */
export function tooLate(gate: Gate, rest: Rest | undefined, now: Date): string | undefined {
  if (!gate.isOpen || !gate.opening || !rest) return undefined;
  const { start, end } = gate.opening;
  const left = end.getTime() - now.getTime();
  const whole = end.getTime() - start.getTime();
  const needed = rest.seconds * 1000;
  if (needed <= left) return undefined;
  if (needed > whole * wholeOpening && left >= whole / 2) return undefined;
  return `${gate.windows.join(", ")} closes in ${durationText(left)}, and the ${gib(rest.bytes)} that are missing need ${durationText(needed)} at ${rest.mbit} Mbit/s: it starts in the next opening.`;
}
