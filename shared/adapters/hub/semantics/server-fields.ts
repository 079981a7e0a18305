import { isSameJson } from "../../../domain/kubernetes/json/values.ts";
import { type KubernetesObject, timestamp } from "../../../domain/kubernetes/object.ts";
import { type Claims, hasGeneration, type ServerFields, type StoredObject } from "./stored-object.ts";

/** What a hub counts and reads for the fields that it sets. */
export type ServerClock = Readonly<{ now(): Date; nextRevision(): number }>;

/** Returns the fields of a new object; the age and generation that its manifest claims are kept. */
export function newServerFields(
  uid: string,
  { now, nextRevision }: ServerClock,
  { generation, creationTimestamp }: Partial<Claims> = {},
): ServerFields {
  return {
    uid,
    revision: nextRevision(),
    generation: generation && generation > 0 ? generation : 1,
    creationTimestamp: creationTimestamp || timestamp(now()),
    deletionTimestamp: undefined,
  };
}

function isSameBesidesMetadata(a: KubernetesObject, b: KubernetesObject): boolean {
  return isSameJson({ ...a, metadata: undefined }, { ...b, metadata: undefined });
}

/**
 * Returns the object with another body and status: any difference raises the resourceVersion, one outside metadata and
 * status the generation. Without a difference it returns the same object.
 */
export function rewritten<Stored extends StoredObject>(
  stored: Stored,
  { body = stored.body, status }: Readonly<{ body?: KubernetesObject; status: unknown }>,
  { nextRevision }: Pick<ServerClock, "nextRevision">,
): Stored {
  if (isSameJson(stored.body, body) && isSameJson(stored.status, status)) return stored;
  const generation = stored.server.generation + (isSameBesidesMetadata(stored.body, body) ? 0 : 1);
  return { ...stored, body, status, server: { ...stored.server, revision: nextRevision(), generation } };
}

/** Returns the object as it waits for its finalizers. */
export function deleted<Stored extends StoredObject>(stored: Stored, clock: ServerClock): Stored {
  const { server } = stored;
  return {
    ...stored,
    server: {
      ...server,
      revision: clock.nextRevision(),
      generation: server.generation + (hasGeneration(stored.key) ? 1 : 0),
      deletionTimestamp: timestamp(clock.now()),
    },
  };
}
