import type { Condition } from "#shared/domain/kubernetes/conditions.ts";
import type { CguName } from "#shared/domain/precache-model/work-identity.ts";
import { sentence } from "#shared/domain/text/redact.ts";

/**
 * A cluster with more to pull than fits into any opening of its windows, and the minimum number of openings it takes.
 */
export type OversizedDownload = Readonly<{ cgu: CguName; cluster: string; openings: number }>;

/** The type of the condition about oversized downloads, set once a cluster had one. */
export const longEnough = "LongEnough";

const maxNamed = 10;

/** Returns the first ten downloads, sorted by openings, most first. */
export function largestDownloads(downloads: readonly OversizedDownload[]): readonly OversizedDownload[] {
  return downloads.toSorted((a, b) => b.openings - a.openings).slice(0, maxNamed);
}

/**
 * Returns the condition about these downloads. It has openings instead of bytes: bytes change constantly, and each
 * change would update the status.
 */
export function longEnoughCondition(downloads: readonly OversizedDownload[]): Condition {
  if (downloads.length === 0)
    return {
      type: longEnough,
      status: "True",
      reason: "RestsFit",
      message: "No cluster is known to need more than one opening.",
    };
  const more = downloads.length > maxNamed ? ` and ${downloads.length - maxNamed} more` : "";
  const named = largestDownloads(downloads).map(
    ({ cgu, cluster, openings }) =>
      sentence`${cluster} of ${cgu.namespace}/${cgu.name} (${openings} openings)`,
  );
  return {
    type: longEnough,
    status: "False",
    reason: "RestsTooLong",
    message: sentence`Clusters have more to pull than fits into one opening, and need several: ${named.join(", ")}${more}. A layer that takes longer than an opening never completes: make the window longer, or mirror the images closer to the clusters.`,
  };
}
