import { createHash } from "node:crypto";
import { byCodeUnit } from "../../json/order.ts";
import type { PrecachingSpec } from "./precaching-spec.ts";

/** What a pre-caching Job runs with, as far as a Job that runs cannot be given another. */
export type PrecachingRun = Readonly<{
  spec: PrecachingSpec;
  /** The image of the workload that pulls the others. */
  workloadImage: string;
}>;

const sorted = (list: readonly string[]): readonly string[] => [...new Set(list)].sort(byCodeUnit);

/**
 * Names what a Job runs with: the same for the same content, another one when the content changes. Ten hexadecimal
 * digits, fit for names and label values. The order of images and patterns does not count, for the result is the
 * same; that of packages does, since the last channel of a package wins.
 */
export function revisionOf({ spec, workloadImage }: PrecachingRun): string {
  const content = JSON.stringify([
    workloadImage,
    spec.platformImage,
    sorted(spec.operatorsIndexes),
    spec.operatorsPackagesAndChannels,
    sorted(spec.excludePrecachePatterns),
    sorted(spec.additionalImages),
    spec.spaceRequired,
  ]);
  return createHash("sha256").update(content).digest("hex").slice(0, 10);
}
