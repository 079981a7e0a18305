import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { Watches } from "#shared/runtime/controller.ts";
import { servedBy } from "#shared/runtime/function-manifest.ts";
import { manifest } from "./manifest.ts";

/** The only key: one reconcile covers all windows, because a cluster may belong to several. */
const fleet = "fleet";

/**
 * The function's watches: changes of windows, and the tick, which names every window each minute. The open windows
 * follow from the clock and the objects, so a lost or duplicate tick changes nothing.
 */
export const maintenanceWindowWatches: Watches = {
  ...servedBy(manifest),
  watches: [
    {
      kind: kinds.MaintenanceWindow,
      // The function writes the status: a fingerprint with the status would trigger a reconcile after each reconcile.
      fingerprint: ({ metadata }) => String(metadata.generation),
      mapToKeys: () => [{ name: fleet }],
    },
  ],
};
