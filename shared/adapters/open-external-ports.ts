import type { ExternalPorts } from "../ports/external-ports.ts";
import { guestHubs } from "./hub/guests/guest-hubs.ts";
import { ociRegistry, openFreshRegistry } from "./oci/oci-registry.ts";
import type { Environment } from "./settings/environment.ts";
import { planningSettings } from "./settings/planning-settings.ts";
import { openUpdateGraph } from "./update-graph/open-update-graph.ts";

/** Opens registries, hosted clusters' API servers and update graphs. They connect at their first use. */
export function openExternalPorts(environment: Environment): ExternalPorts & Readonly<{ close(): void }> {
  const registry = ociRegistry({ environment });
  const freshRegistry = openFreshRegistry(environment);
  const guests = guestHubs({ environment });
  const updateGraph = openUpdateGraph(environment);
  return {
    planning: planningSettings(environment),
    registry,
    freshRegistry,
    guests,
    updateGraph,
    close() {
      registry.close();
      freshRegistry.close();
      guests.close();
      updateGraph.close();
    },
  };
}
