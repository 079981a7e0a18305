import type { CostReport } from "#shared/domain/diff/compare-sides.ts";
import { issueObject } from "#shared/domain/issues/issue.ts";
import type { ImportChange, ImportedObject } from "#shared/domain/oc-mirror/compare.ts";
import { type Wave, waveOf, waves } from "#shared/domain/oc-mirror/waves.ts";

/** The comparison of one run of oc-mirror with a hub. */
export type ImportReport = Readonly<{
  objects: readonly Readonly<{
    kind: string;
    namespace?: string;
    name: string;
    change: ImportChange;
    /** Null for what is not applied. */
    wave: Wave | null;
  }>[];
  cost: CostReport;
}>;

/** Makes the report of compared objects. */
export function reportOf(compared: readonly ImportedObject[], cost: CostReport): ImportReport {
  return {
    objects: compared.map(({ object, change }) => ({
      ...issueObject(object),
      change,
      wave: change === "stale" ? null : (waves[waveOf(object) ?? waves.length]?.name ?? null),
    })),
    cost,
  };
}
