import type { Beyond } from "../ports/beyond.ts";
import { guestHubs } from "./hub/guests/guest-hubs.ts";
import { ociRegistry } from "./oci/oci-registry.ts";
import type { Environment } from "./settings/environment.ts";
import { planningChoices } from "./settings/planning-choices.ts";
import { openUpdateGraph } from "./update-graph/open-update-graph.ts";

/**
 * Registries, the API servers of hosted clusters and update graphs, each reached when it is first asked for, and the
 * choices of the deployment.
 */
export function openBeyond(environment: Environment): Beyond & Readonly<{ close(): void }> {
  const registry = ociRegistry({ environment });
  const guests = guestHubs({ environment });
  const updateGraph = openUpdateGraph(environment);
  return {
    planning: planningChoices(environment),
    registry,
    guests,
    updateGraph,
    close() {
      registry.close();
      guests.close();
      updateGraph.close();
    },
  };
}
