import type { Kind, KubernetesObject, ObjectReference } from "../domain/kubernetes/object.ts";
import { PortError, type PortErrorOptions } from "./port-error.ts";

/** Returns the result of a read as `found`, or `isPermitted: false` if the hub forbids the read. */
export async function ifPermitted<Result>(
  read: Promise<Result>,
): Promise<Readonly<{ isPermitted: boolean; found: Result | undefined }>> {
  try {
    return { isPermitted: true, found: await read };
  } catch (error) {
    if (error instanceof HubError && error.code === "Forbidden")
      return { isPermitted: false, found: undefined };
    throw error;
  }
}

export type ObjectChange = Readonly<{ verb: "add" | "update" | "delete"; object: KubernetesObject }>;

/** An event of a watch. `synced` comes once, after all objects that already existed. */
export type HubChange = ObjectChange | Readonly<{ verb: "synced" }>;

export type ListOptions = Readonly<{
  namespace?: string;
  labels?: Readonly<Record<string, string>>;
  /** Only objects that have this label, with any value. */
  withLabel?: string;
  /** Only objects with this name, in any namespace. */
  name?: string;
  /** Allows the hub to return objects without spec and status. */
  metadataOnly?: boolean;
  /**
   * Accepts a list from the API server's cache, which may lack the latest changes. Only for reports, never for
   * decisions. Without this option, etcd reads all objects of the kind, even if the list is to have only some of them.
   */
  fromCache?: boolean;
  /** Returns the part of each object to keep. With it, a long list of large objects needs less memory. */
  keep?: (object: KubernetesObject) => KubernetesObject;
}>;

export type WatchOptions = Readonly<{
  /** Allows the hub to send objects without spec and status. */
  metadataOnly?: boolean;
  /** Only objects with this label. The label must never be removed: hubs differ in how they report a removal. */
  withLabel?: string;
  /** Only objects without this label. The label must never be added: hubs differ in how they report an addition. */
  withoutLabel?: string;
  /** Only objects with this name, in any namespace. */
  name?: string;
}>;

/** One reason why an API server rejected an object. `field` is the path of the wrong field, and `reason` is a code. */
export type RefusalCause = Readonly<{ field: string; reason: string; message: string }>;

/** The part of the hub cluster's API that hubrelay uses. Every failure is a `HubError`. */
export type Hub = Readonly<{
  /** The CloudEvents `source`: the API server's URL or a configured id. */
  id: string;
  /** Returns the object. Undefined if it does not exist. */
  get(kind: Kind, name: string, namespace?: string): Promise<KubernetesObject | undefined>;
  /** Returns all objects of a kind, sorted by namespace and name. Empty if the kind is not installed. */
  list(kind: Kind, options?: ListOptions): Promise<readonly KubernetesObject[]>;
  /** Returns the stored object, with uid and resourceVersion. Fails with `AlreadyExists` if the object exists. */
  create(object: KubernetesObject): Promise<KubernetesObject>;
  /** Replaces all fields except `status`. Fails with `Conflict` unless `metadata.resourceVersion` is current. */
  update(object: KubernetesObject): Promise<KubernetesObject>;
  /** Replaces only `status`. Fails with `Conflict` unless `metadata.resourceVersion` is current. */
  updateStatus(object: KubernetesObject): Promise<KubernetesObject>;
  /** Deletes the object. Fails with `Conflict` if the reference has an outdated uid or resourceVersion. */
  delete(reference: ObjectReference): Promise<void>;
  /**
   * Yields every change of this kind until the signal aborts, and then ends without an error. After an error the watch
   * resumes, or lists the objects and yields what has changed meanwhile. Several quick changes of one object may become
   * one change. The deletion of an object may have only the object's identity.
   */
  watch(kind: Kind, signal: AbortSignal, options?: WatchOptions): AsyncIterable<HubChange>;
  /**
   * Returns the reasons why the hub would reject `object` as a replacement for `stored`, or as a new object. Stores
   * nothing. Absent for hubs without an API server.
   */
  dryRun?(object: KubernetesObject, stored: KubernetesObject | undefined): Promise<readonly RefusalCause[]>;
  /** Returns the time on the hub's clock. Undefined before the first response. Absent for hubs without a clock. */
  time?(): Date | undefined;
}>;

/** The part of a hub that changes nothing, for observing and for verification. */
export type HubReader = Pick<Hub, "id" | "get" | "list" | "dryRun">;

/** The reason why a request to the hub failed. Most codes are status reasons of the Kubernetes API. */
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

const retryableCodes: ReadonlySet<HubErrorCode> = new Set([
  "Conflict",
  "TooManyRequests",
  "Timeout",
  "Unavailable",
  "InternalError",
  "Unauthorized",
  "Forbidden",
]);

/** A failed hub request. The message names verb and object, and never contains headers, bodies or credentials. */
export class HubError extends PortError {
  override readonly name = "HubError";
  readonly code: HubErrorCode;

  constructor(code: HubErrorCode, message: string, options?: PortErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Reports whether a retry may succeed. It may succeed even after a rejected login or a missing permission. */
  get isRetryable(): boolean {
    return retryableCodes.has(this.code);
  }
}

/** Reports whether the hub has rejected a request because of the caller's login or permissions. */
export function isRefused(error: unknown): boolean {
  return error instanceof HubError && (error.code === "Unauthorized" || error.code === "Forbidden");
}

/** Reports whether another writer was first. The caller then has to observe and decide again. */
export function isLostRace(error: unknown): boolean {
  return (
    error instanceof HubError &&
    (error.code === "Conflict" || error.code === "AlreadyExists" || error.code === "NotFound")
  );
}
