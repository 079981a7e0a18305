import { object, required, text, time, type ValueOf, whole } from "../issues/field.ts";
import type { ClusterState } from "./cluster-state.ts";

/** The stored fields of a cluster's last check for missing images. */
export const checkRecord = object(
  {
    started: required(time({ description: "Identifies the check." })),
    attempt: required(whole({ minimum: 1, description: "The attempt that pre-cached the images." })),
    opening: time({
      description: "The opening before which it is made; absent for one that a person requested.",
    }),
    checked: time({ description: "When the result was recorded; absent while it is in progress." }),
    imagesPresent: whole({ minimum: 0, description: "Absent, as imagesTotal, when there is no result." }),
    imagesTotal: whole({ minimum: 0 }),
    message: text({ description: "Names of missing images, or why there is no result." }),
  },
  { description: "The last check of whether the images are still there. It changes no state." },
);

export type ClusterCheck = NonNullable<ValueOf<typeof checkRecord>>;

/** The fields of a cluster's record that checks need. */
export type CheckedRecord = Readonly<{
  state: ClusterState;
  attempt: number;
  imagesTotal?: number;
  check?: ClusterCheck;
}>;

/** Reports whether a check of the cluster is in progress. */
export function isChecking<Known extends CheckedRecord>(
  record: Known | undefined,
): record is Known & Readonly<{ check: ClusterCheck }> {
  return record?.check !== undefined && record.check.checked === undefined;
}

/** Returns how many images the check of the current attempt found missing; 0 without a result. */
export function missingImages({ attempt, check }: CheckedRecord): number {
  if (check?.attempt !== attempt) return 0;
  return (check.imagesTotal ?? 0) - (check.imagesPresent ?? 0);
}
