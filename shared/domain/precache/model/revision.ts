import { hash } from "node:crypto";
import { byCodeUnit } from "../../json/values.ts";
import type { PrecachingSpec } from "./precaching-spec.ts";

/** The input of a pre-caching Job that cannot change while it runs. */
export type PrecachingRun = Readonly<{
  spec: PrecachingSpec;
  /** The image of the workload container. */
  workloadImage: string;
}>;

const sorted = (list: readonly string[]): readonly string[] => [...new Set(list)].sort(byCodeUnit);

/**
 * Returns the revision of a Job's input: the same for the same content, another one when the content changes. Ten
 * hexadecimal digits, fit for names and label values. The order of images and patterns does not count, because the
 * result is the same; the order of packages does, since the last channel of a package wins.
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
  return hash("sha256", content).slice(0, 10);
}
