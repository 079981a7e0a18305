import type { PlanningSettings } from "../domain/precache-plan/plan-input.ts";
import { GuestError, type Guests } from "./guests.ts";
import { type Registry, RegistryError } from "./registry.ts";
import type { RegistryContents } from "./registry-contents.ts";
import type { UpdateGraph } from "./update-graph.ts";

/** The systems other than the hub that some functions use, and the settings of the deployment. */
export type ExternalPorts = Readonly<{
  planning: PlanningSettings;
  registry: Registry;
  /** Caches manifests for at most a minute, so that a removed image is noticed. */
  freshRegistry: Registry & RegistryContents;
  guests: Guests;
  updateGraph: UpdateGraph;
}>;

/** At least the external ports that are needed. */
export type External<Needed extends keyof ExternalPorts = never> = Pick<ExternalPorts, Needed> &
  Partial<ExternalPorts>;

async function noRegistry(): Promise<never> {
  throw new RegistryError("Unavailable", "registries are not available here");
}

const noRegistries: Registry = {
  digest: noRegistry,
  tags: noRegistry,
  image: noRegistry,
  files: noRegistry,
};

/** Ports that reach nothing: every registry, hosted cluster and update graph fails as unavailable. */
export const noExternalPorts: ExternalPorts = {
  planning: { profile: "standard", hubVersion: undefined, indexRepositories: [], workloadImage: "" },
  registry: noRegistries,
  freshRegistry: {
    ...noRegistries,
    manifest: noRegistry,
    hasBlob: noRegistry,
    hasSignature: noRegistry,
    visitFolder: noRegistry,
  },
  guests: {
    open: async () => {
      throw new GuestError("hosted clusters are not available here");
    },
    opened: () => undefined,
  },
  updateGraph: { ask: async () => ({ ok: false, message: "update graphs are not available here" }) },
};
