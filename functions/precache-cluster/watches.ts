import { kinds, namespacedName } from "#shared/domain/kubernetes/object.ts";
import type { Watches } from "#shared/runtime/controller.ts";
import { servedBy } from "#shared/runtime/function-manifest.ts";
import { manifest } from "./manifest.ts";

/** The function's watches. Only precache-status sends messages, one for each cluster whose ManifestWork must change. */
export const precacheClusterWatches: Watches = {
  ...servedBy(manifest),
  watches: [
    {
      kind: kinds.ClusterGroupUpgrade,
      mapToKeys: (reference) =>
        reference.cluster ? [{ name: namespacedName(reference), part: reference.cluster }] : [],
    },
  ],
};
