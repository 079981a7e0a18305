import type { PlanningSettings } from "../domain/precache-plan/plan-input.ts";
import type { GraphQuery, GraphResponse } from "../domain/precache-plan/policies/update-graph.ts";
import type { Hub } from "./hub.ts";
import { type Registry, type RegistryContents, RegistryError } from "./registry.ts";

/** The source of OpenShift release images: Cincinnati servers or a file. `ask` returns a failure and never throws. */
export type UpdateGraph = Readonly<{ ask(query: GraphQuery): Promise<GraphResponse> }>;

/** The APIs of hosted clusters (guests). After a guest did not respond, requests to it fail at once for a while. */
export type Guests = Readonly<{
  /**
   * Returns the API of a hosted cluster (`namespace/name`), the same object until the kubeconfig changes. Throws
   * `GuestError` if the kubeconfig cannot be used.
   */
  open(cluster: string, kubeconfig: string): Promise<Hub>;
  /** Returns what `open` last returned for this cluster. Undefined if it is not open. */
  opened(cluster: string): Hub | undefined;
}>;

/** A kubeconfig that cannot be used. The message never quotes the kubeconfig. */
export class GuestError extends Error {
  override readonly name = "GuestError";
  readonly code = "InvalidKubeconfig";
}

/** The external systems that some functions use in addition to the hub, and the settings of the deployment. */
export type ExternalPorts = Readonly<{
  planning: PlanningSettings;
  registry: Registry;
  /** A registry client that caches manifests for at most a minute, so that removed images are noticed. */
  freshRegistry: Registry & RegistryContents;
  guests: Guests;
  updateGraph: UpdateGraph;
}>;

/** The external ports. Only the ports named by `Needed` are always defined. */
export type External<Needed extends keyof ExternalPorts = never> = Pick<ExternalPorts, Needed> &
  Partial<ExternalPorts>;

async function noRegistry(): Promise<never> {
  throw new RegistryError("Unavailable", "registries are not available here");
}

const noRegistries: Registry = {
  digest: noRegistry,
  image: noRegistry,
  files: noRegistry,
};

/** External ports for a process without external systems. All requests fail as unavailable. */
export const noExternalPorts: ExternalPorts = {
  planning: { profile: "standard", hubVersion: undefined, indexRepositories: [], workloadImage: "" },
  registry: noRegistries,
  freshRegistry: {
    ...noRegistries,
    manifest: noRegistry,
    hasBlob: noRegistry,
    signatures: noRegistry,
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
