import type { PlanningSettings } from "../domain/precache/plan/planning-settings.ts";
import { GuestError, type Guests } from "./guests.ts";
import { type Registry, RegistryError } from "./registry.ts";
import type { UpdateGraph } from "./update-graph.ts";

/** What some functions take from beyond the hub. */
export type ExternalPorts = Readonly<{
  planning: PlanningSettings;
  registry: Registry;
  guests: Guests;
  updateGraph: UpdateGraph;
}>;

async function noRegistry(): Promise<never> {
  throw new RegistryError("Unavailable", "No registry is asked here.");
}

/** For whoever must reach nothing but the hub: every registry, guest and update graph is out of reach. */
export const noExternalPorts: ExternalPorts = {
  planning: { profile: "seed", hubVersion: undefined, workloadImage: undefined },
  registry: { digest: noRegistry, tags: noRegistry, image: noRegistry, files: noRegistry },
  guests: {
    open: async () => {
      throw new GuestError("No guest is reached here.");
    },
    opened: () => undefined,
  },
  updateGraph: { ask: async () => ({ ok: false, message: "no update graph is asked here" }) },
};
