import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { Watches } from "#shared/runtime/controller.ts";
import { servedBy } from "#shared/runtime/function-manifest.ts";
import { manifest } from "./manifest.ts";

const fleet = "fleet";

/** The watches of the function. In addition, a tick sends it a message about the windows every minute. */
export const maintenanceWindowWatches: Watches = {
  ...servedBy(manifest),
  watches: [
    {
      kind: kinds.MaintenanceWindow,
      // The function itself writes the status. A fingerprint with the status would trigger a reconcile after each
      // reconcile.
      fingerprint: ({ metadata }) => String(metadata.generation),
      mapToKeys: () => [{ name: fleet }],
    },
  ],
};
