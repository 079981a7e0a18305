import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { Watches } from "#shared/runtime/controller.ts";

/** One reconcile covers all windows, because a cluster may belong to several. */
const fleet = "fleet";

/**
 * Triggered by changes of windows, and by the tick, which names every window each minute. The open windows follow
 * from the clock and the objects, so a lost or duplicate tick changes nothing.
 */
export const maintenanceWindowWatches: Watches = {
  name: "maintenance-window",
  queue: "maintenance-windows",
  timeoutSeconds: 60,
  watches: [
    {
      kind: kinds.MaintenanceWindow,
      // Not its status, which the function writes: otherwise each reconcile would trigger the next one.
      fingerprint: ({ metadata }) => String(metadata.generation),
      mapToKeys: () => [{ name: fleet }],
    },
  ],
};
