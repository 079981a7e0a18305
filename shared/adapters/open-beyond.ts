import type { Beyond } from "../ports/beyond.ts";
import type { Environment } from "./environment.ts";
import { guestHubs } from "./guest-hubs.ts";
import { ociRegistry } from "./oci-registry.ts";
import { openUpdateGraph } from "./open-update-graph.ts";
import { planningChoices } from "./planning-choices.ts";

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
