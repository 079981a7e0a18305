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
      // The function itself writes the status. With the status here, each reconcile would trigger another one.
      fingerprint: ({ metadata }) => String(metadata.generation),
      mapToKeys: () => [{ name: fleet }],
    },
  ],
};
