import type { Hub } from "./hub.ts";

/**
 * The API servers of hosted clusters. Each is a `Hub` like the hub itself, with time-outs of its own: one that does
 * not answer fails at once for a while, so that nobody waits for it again and again.
 */
export type Guests = Readonly<{
  /**
   * The guest of this hosted cluster (`namespace/name`), reached with the kubeconfig that its control plane
   * publishes. Opened once, and anew when the kubeconfig changes. Throws `GuestError` for one that cannot be used.
   */
  open(cluster: string, kubeconfig: string): Promise<Hub>;
  /** The guest as it was opened last, undefined when it was not. */
  opened(cluster: string): Hub | undefined;
}>;

/** A kubeconfig that cannot be used; the message never quotes it. */
export class GuestError extends Error {
  override readonly name = "GuestError";
  readonly code = "InvalidKubeconfig";
}
