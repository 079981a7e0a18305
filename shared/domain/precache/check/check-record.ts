import { object, required, text, time, type ValueOf, whole } from "../../fields/field.ts";

/** The last check of whether a cluster still has the images that were pre-cached, or the one in progress. */
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
