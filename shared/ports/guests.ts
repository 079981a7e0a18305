import type { Hub } from "./hub.ts";

/**
 * The API servers of hosted clusters. Each is a `Hub` like the hub itself, with shorter timeouts. After a guest did not
 * respond, requests to it fail at once for a while, so that callers do not wait for it again and again.
 */
export type Guests = Readonly<{
  /**
   * Returns the guest of this hosted cluster (`namespace/name`), reached with the kubeconfig that its control plane
   * publishes. Opened once, and again when the kubeconfig changes. Throws `GuestError` for an unusable kubeconfig.
   */
  open(cluster: string, kubeconfig: string): Promise<Hub>;
  /** Returns the guest as last opened; undefined when it is not open. */
  opened(cluster: string): Hub | undefined;
}>;

/** A kubeconfig that cannot be used; the message never quotes it. */
export class GuestError extends Error {
  override readonly name = "GuestError";
  readonly code = "InvalidKubeconfig";
}
