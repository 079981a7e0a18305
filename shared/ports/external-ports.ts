import type { PlanningSettings } from "../domain/precache-plan/plan-input.ts";
import type { GraphQuery, GraphResponse } from "../domain/precache-plan/policies/update-graph.ts";
import type { Hub } from "./hub.ts";
import { type Registry, type RegistryContents, RegistryError } from "./registry.ts";

/**
 * The source of OpenShift release images: a Cincinnati server, or a file with its response. `ask` never throws: a failure is
 * a result, which becomes a condition of the ClusterGroupUpgrade.
 */
export type UpdateGraph = Readonly<{ ask(query: GraphQuery): Promise<GraphResponse> }>;

/**
 * The API servers of hosted clusters (guests). Each is a `Hub` with shorter timeouts. After a guest did not respond,
 * requests to it fail at once for a while, so that callers do not wait for it repeatedly.
 */
export type Guests = Readonly<{
  /**
   * Returns the API of a hosted cluster (`namespace/name`), reached with the kubeconfig that its control plane publishes.
   * Later calls return the same object until the kubeconfig changes. Throws `GuestError` for an unusable kubeconfig.
   */
  open(cluster: string, kubeconfig: string): Promise<Hub>;
  /** Returns the guest that `open` last returned for this cluster; undefined if it is not open. */
  opened(cluster: string): Hub | undefined;
}>;

/** A kubeconfig that cannot be used; the message never quotes it. */
export class GuestError extends Error {
  override readonly name = "GuestError";
  readonly code = "InvalidKubeconfig";
}

/** The external systems that some functions use besides the hub, and settings of the deployment. */
export type ExternalPorts = Readonly<{
  planning: PlanningSettings;
  registry: Registry;
  /** A registry whose manifests are cached for at most a minute, so that removed images are noticed. */
  freshRegistry: Registry & RegistryContents;
  guests: Guests;
  updateGraph: UpdateGraph;
}>;

/** The external ports. Those that `Needed` names are always defined; the others may be undefined. */
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

/** Ports without external systems: every registry, hosted cluster and update graph fails as unavailable. */
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
