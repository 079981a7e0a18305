import type { ExternalPorts } from "../ports/external-ports.ts";
import { guestHubs } from "./hub/guests/guest-hubs.ts";
import { ociRegistry } from "./oci/oci-registry.ts";
import { openPresentRegistry } from "./oci/present-registry.ts";
import type { Environment } from "./settings/environment.ts";
import { planningSettings } from "./settings/planning-settings.ts";
import { openUpdateGraph } from "./update-graph/open-update-graph.ts";

/**
 * Opens registries, the API servers of hosted clusters and update graphs, each at its first use, with the planning
 * settings of the deployment.
 */
export function openExternalPorts(environment: Environment): ExternalPorts & Readonly<{ close(): void }> {
  const registry = ociRegistry({ environment });
  const presentRegistry = openPresentRegistry(environment);
  const guests = guestHubs({ environment });
  const updateGraph = openUpdateGraph(environment);
  return {
    planning: planningSettings(environment),
    registry,
    presentRegistry,
    guests,
    updateGraph,
    close() {
      registry.close();
      presentRegistry.close();
      guests.close();
      updateGraph.close();
    },
  };
}
