import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { Watches } from "#shared/runtime/controller.ts";

/** One look is about all windows: a cluster may belong to several. */
const fleet = "fleet";

/**
 * Woken when a window is changed, and by the tick, which names every window each minute. The tick says nothing but
 * "look": what is open follows from the clock and the objects, so one that is lost or doubled changes nothing.
 */
export const maintenanceWindowWatches: Watches = {
  name: "maintenance-window",
  queue: "maintenance-windows",
  timeoutSeconds: 60,
  kinds: [kinds.MaintenanceWindow],
  mapToKey: (reference) => (isKind(kinds.MaintenanceWindow, reference) ? fleet : undefined),
};
