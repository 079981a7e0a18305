import type { Kind } from "../domain/kubernetes/kinds.ts";
import type { KubernetesObject, ObjectReference } from "../domain/kubernetes/object.ts";

/** What a watch reports. `synced` comes once, after an `add` for every object that was already there. */
export type HubChange =
  | Readonly<{ verb: "add" | "update" | "delete"; object: KubernetesObject }>
  | Readonly<{ verb: "synced" }>;

export type ListOptions = Readonly<{
  namespace?: string;
  /** Only objects that carry all of these labels. */
  labels?: Readonly<Record<string, string>>;
  /** Only objects that carry this label, whatever its value. */
  withLabel?: string;
  /** Only objects of this name, in whatever namespace. */
  name?: string;
}>;

export type WatchOptions = Readonly<{
  /**
   * References are enough: changes may come without spec and status, so that a hub need not send a hundred
   * thousand objects whole.
   */
  metadataOnly?: boolean;
  /** Only objects that carry this label, whatever its value; it must not be taken off one. */
  withLabel?: string;
  /** Only objects without this label; it must not be put on one. */
  withoutLabel?: string;
  /** Only objects of this name, in whatever namespace. */
  name?: string;
}>;

/** One thing that an API server refuses in an object: the field, why by its name, and in words. */
export type RefusalCause = Readonly<{ field: string; reason: string; message: string }>;

/**
 * The hub cluster's API, as far as hubrelay uses it. Two real adapters: a Kubernetes API and a directory of
 * YAML; `test/contract/hub.contract.ts` holds both to the same behaviour. Every failure is a `HubError`.
 */
export type Hub = Readonly<{
  /** The CloudEvents `source`: the API server's URL or a configured id. */
  id: string;
  /** The object, or undefined when it does not exist. */
  get(kind: Kind, name: string, namespace?: string): Promise<KubernetesObject | undefined>;
  /** All objects of a kind, sorted by namespace and name; empty when the kind itself is not installed. */
  list(kind: Kind, options?: ListOptions): Promise<readonly KubernetesObject[]>;
  /** Fails with `AlreadyExists` when there is one. Answers the stored object, with uid and resourceVersion. */
  create(object: KubernetesObject): Promise<KubernetesObject>;
  /** Replaces all but `status`. Fails with `Conflict` unless `metadata.resourceVersion` is the present one. */
  update(object: KubernetesObject): Promise<KubernetesObject>;
  /** Replaces `status` alone. Fails with `Conflict` unless `metadata.resourceVersion` is the present one. */
  updateStatus(object: KubernetesObject): Promise<KubernetesObject>;
  /** Deletes; a uid or resourceVersion in the reference must match the present one, else `Conflict`. */
  delete(reference: ObjectReference): Promise<void>;
  /**
   * Every change of these kinds until the signal aborts, then the iteration ends without an error. Trouble does not
   * end it: it goes on where it was, or tells the difference. Changes of one object in quick succession may come as
   * one; a deletion that was not seen comes with the object's identity alone.
   */
  watch(kinds: readonly Kind[], signal: AbortSignal, options?: WatchOptions): AsyncIterable<HubChange>;
  /**
   * What the hub would refuse if the object were created, or took the place of `stored`; nothing is stored. Absent
   * where there is no API server that could tell.
   */
  dryRun?(object: KubernetesObject, stored: KubernetesObject | undefined): Promise<readonly RefusalCause[]>;
}>;

/** A hub that is only looked at: what observing takes, and all that a verification may have. */
export type HubReader = Pick<Hub, "id" | "get" | "list" | "dryRun">;

/** Why the hub did not do what was asked; the names are those of the Kubernetes API's status reasons. */
export type HubErrorCode =
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Invalid"
  | "Unauthorized"
  | "Forbidden"
  | "TooManyRequests"
  | "Timeout"
  | "Unavailable"
  | "InternalError";

/** A failed hub request. The message names verb and object and never holds headers, bodies or credentials. */
export class HubError extends Error {
  override readonly name = "HubError";
  readonly code: HubErrorCode;
  /** Seconds that the server asked to wait (Retry-After). */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: HubErrorCode, message: string, options?: ErrorOptions & { retryAfterSeconds?: number }) {
    super(message, options);
    this.code = code;
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}

/** True for the answers that mean somebody else wrote first: observe again and decide anew. */
export function isLostRace(error: unknown): boolean {
  return (
    error instanceof HubError &&
    (error.code === "Conflict" || error.code === "AlreadyExists" || error.code === "NotFound")
  );
}

/** True for trouble that time heals: the message goes back to the queue and comes again later. */
export function isRetryableHubError(error: unknown): boolean {
  return (
    error instanceof HubError &&
    ["Conflict", "TooManyRequests", "Timeout", "Unavailable", "InternalError"].includes(error.code)
  );
}
