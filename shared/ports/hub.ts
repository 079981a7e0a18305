import type { Kind, KubernetesObject, ObjectReference } from "../domain/kubernetes/object.ts";
import { PortError, type PortErrorOptions } from "./port-error.ts";

/**
 * Returns the result of a read as `found`. If the read is forbidden, `found` is undefined and `isPermitted` is false:
 * hubrelay then does less instead of failing, since not every installation grants every permission.
 */
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

/** An event of a watch. `synced` comes once, after an `add` for every object that already existed. */
export type HubChange = ObjectChange | Readonly<{ verb: "synced" }>;

export type ListOptions = Readonly<{
  namespace?: string;
  labels?: Readonly<Record<string, string>>;
  /** Only objects with this label, whatever its value. */
  withLabel?: string;
  /** Only objects with this name, in any namespace. */
  name?: string;
  /** True if names are enough: objects may come without spec and status. */
  metadataOnly?: boolean;
  /**
   * Accepts a list from the API server's cache, which may lack the latest changes. Not for decisions, only for reports.
   * Without this option, etcd reads all objects of the kind, even if the list is to have only some of them.
   */
  fromCache?: boolean;
  /** Returns the part of each object to keep, so that a long list of large objects is never in memory as a whole. */
  keep?: (object: KubernetesObject) => KubernetesObject;
}>;

export type WatchOptions = Readonly<{
  /** True if references are enough: the hub need not send spec and status of a hundred thousand objects. */
  metadataOnly?: boolean;
  /** Only objects with this label, whatever its value. The label must not be removed from an object. */
  withLabel?: string;
  /** Only objects without this label. The label must not be added to an object. */
  withoutLabel?: string;
  /** Only objects with this name, in any namespace. */
  name?: string;
}>;

/** One cause of an API server's rejection: the field, the reason as a code, and a message. */
export type RefusalCause = Readonly<{ field: string; reason: string; message: string }>;

/**
 * The part of the hub cluster's API that hubrelay uses. `test/contract/hub.contract.ts` verifies that all adapters (a
 * Kubernetes API, a directory of YAML and a hub in memory) behave the same. Every failure is a `HubError`.
 */
export type Hub = Readonly<{
  /** The CloudEvents `source`: the API server's URL or a configured id. */
  id: string;
  /** Returns the object; undefined when it does not exist. */
  get(kind: Kind, name: string, namespace?: string): Promise<KubernetesObject | undefined>;
  /** Returns all objects of a kind, sorted by namespace and name; empty when the kind is not installed. */
  list(kind: Kind, options?: ListOptions): Promise<readonly KubernetesObject[]>;
  /** Returns the stored object, with uid and resourceVersion. Fails with `AlreadyExists` when the object exists. */
  create(object: KubernetesObject): Promise<KubernetesObject>;
  /** Replaces all fields but `status`. Fails with `Conflict` unless `metadata.resourceVersion` is the current one. */
  update(object: KubernetesObject): Promise<KubernetesObject>;
  /** Replaces only `status`. Fails with `Conflict` unless `metadata.resourceVersion` is the current one. */
  updateStatus(object: KubernetesObject): Promise<KubernetesObject>;
  /** Deletes the object. Fails with `Conflict` if the reference has a uid or resourceVersion that is not current. */
  delete(reference: ObjectReference): Promise<void>;
  /**
   * Yields every change of this kind until the signal aborts; the iteration then ends without an error. After an error
   * the watch resumes, or lists the objects and yields what has changed meanwhile. Rapid changes of one object may be
   * merged into one. Missed deletions carry only the object's identity.
   */
  watch(kind: Kind, signal: AbortSignal, options?: WatchOptions): AsyncIterable<HubChange>;
  /**
   * Returns the reasons why the hub would reject `object`; empty if the hub would accept it. The object would replace
   * `stored`, or be created if `stored` is undefined. Stores nothing. Absent for hubs without an API server.
   */
  dryRun?(object: KubernetesObject, stored: KubernetesObject | undefined): Promise<readonly RefusalCause[]>;
  /** Returns the time now on the hub's clock; undefined before its first response. Absent for hubs without a clock. */
  time?(): Date | undefined;
}>;

/** The read-only part of a hub, for observing and for verification. */
export type HubReader = Pick<Hub, "id" | "get" | "list" | "dryRun">;

/** The reason why a request to the hub failed; most codes are status reasons of the Kubernetes API. */
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

  /** Reports whether a retry may succeed. A lost login or permission is usually restored within minutes. */
  get isRetryable(): boolean {
    return retryableCodes.has(this.code);
  }
}

/** Reports whether the hub has rejected a request because of the caller's login or permissions. */
export function isRefused(error: unknown): boolean {
  return error instanceof HubError && (error.code === "Unauthorized" || error.code === "Forbidden");
}

/** Reports whether another writer was first, so that the caller has to observe and decide again. */
export function isLostRace(error: unknown): boolean {
  return (
    error instanceof HubError &&
    (error.code === "Conflict" || error.code === "AlreadyExists" || error.code === "NotFound")
  );
}
