import type { Condition } from "#shared/domain/kubernetes/conditions.ts";
import type { CguName } from "#shared/domain/precache/work/work-identity.ts";

/** A cluster that has more to pull than any opening of its windows has time for, and how many it takes at least. */
export type OversizedDownload = Readonly<{ cgu: CguName; cluster: string; openings: number }>;

/** The condition of a MaintenanceWindow about them: there once a cluster had too much for it. */
export const longEnough = "LongEnough";

/** Clusters in one message or event. */
const mostNamed = 10;

/** The first of them, those that take the most openings before others. */
export function firstOf(rests: readonly OversizedDownload[]): readonly OversizedDownload[] {
  return rests.toSorted((a, b) => b.openings - a.openings).slice(0, mostNamed);
}

/** What the condition says. Openings change slowly, bytes all the time: a message with those would always be news. */
export function longEnoughCondition(rests: readonly OversizedDownload[]): Condition {
  if (rests.length === 0)
    return {
      type: longEnough,
      status: "True",
      reason: "RestsFit",
      message: "No cluster is known to need more than one opening.",
    };
  const more = rests.length > mostNamed ? ` and ${rests.length - mostNamed} more` : "";
  const named = firstOf(rests).map(
    ({ cgu, cluster, openings }) => `${cluster} of ${cgu.namespace}/${cgu.name} (${openings} openings)`,
  );
  return {
    type: longEnough,
    status: "False",
    reason: "RestsTooLong",
    message: `Clusters have more to pull than an opening has time for, and take several: ${named.join(", ")}${more}. A layer that takes longer than an opening never arrives: make the window longer, or bring images nearer.`,
  };
}
