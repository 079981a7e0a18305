import { hash } from "node:crypto";
import { redactTexts } from "../text/redact.ts";

/**
 * All types of outcome events. `when` completes the sentence "It is sent when …". The JSON Schema of events and their
 * documentation are derived from this list.
 */
export const outcomeTypes = [
  { type: "dev.hubrelay.mirror-config.rendered", when: "a MachineConfig was written" },
  {
    type: "dev.hubrelay.mirror-config.held",
    when: "a change waits because its cost is higher than the pool allows",
  },
  {
    type: "dev.hubrelay.mirror-config.expected",
    when: "verify mode: the owner is expected to write different content",
  },
  { type: "dev.hubrelay.mirror-config.drift", when: "verify mode: the owner has not written it in time" },
  { type: "dev.hubrelay.mirror-config.refused", when: "something is refused, and no MachineConfig changes" },
  {
    type: "dev.hubrelay.hosted-clusters.changing",
    when: "fields that were handed over have changed in a HostedCluster, and its control plane is being updated",
  },
  {
    type: "dev.hubrelay.hosted-clusters.drift",
    when: "verify mode: the owner has not written the desired state of a hosted cluster in time",
  },
  {
    type: "dev.hubrelay.hosted-clusters.refused",
    when: "something is refused about a HostedCluster, and no other outcome is sent for it",
  },
  {
    type: "dev.hubrelay.precache-plan.planned",
    when: "pre-caching of a ClusterGroupUpgrade is planned, or its plan has changed",
  },
  {
    type: "dev.hubrelay.precache.cluster-failed",
    when: "a cluster's run has failed or reached its deadline",
  },
  {
    type: "dev.hubrelay.precache.images-missing",
    when: "a check has found that a cluster no longer has all images that were pre-cached",
  },
  {
    type: "dev.hubrelay.precache.images-not-ready",
    when: "images that a ClusterGroupUpgrade pre-caches are not in the mirrors, or no longer",
  },
  {
    type: "dev.hubrelay.precache.finished",
    when: "pre-caching of a ClusterGroupUpgrade has ended for all its clusters",
  },
] as const;

export type OutcomeType = (typeof outcomeTypes)[number]["type"];

type PrefixOf<Type> = Type extends `dev.hubrelay.${infer Name}.${string}` ? `dev.hubrelay.${Name}.` : never;

/** The part of a type before its last word, such as `dev.hubrelay.precache.`. */
export type OutcomeTypePrefix = PrefixOf<OutcomeType>;

/** A CloudEvent 1.0 in structured JSON about a function's write or refusal. A repeated delivery has the same `id`. */
export type OutcomeEvent = Readonly<{
  specversion: "1.0";
  type: OutcomeType;
  source: string;
  subject: string;
  id: string;
  /** When the reported state began, in RFC 3339; absent in outcomes that hubrelay 0.1.0 has stored. */
  time?: string;
  datacontenttype: "application/json";
  /** The URI of the JSON Schema for `data`; absent in outcomes that hubrelay 0.1.0 has stored. */
  dataschema?: string;
  /** The id of the hub event that led to the outcome, for searches in logs. */
  correlationid?: string;
  data: Readonly<Record<string, unknown>>;
}>;

/**
 * Returns an outcome event, with possible credentials in `data` redacted. `from`, a resourceVersion or transition time,
 * identifies the state before or after the write: a retry repeats its `id`, but a later change to the same content does
 * not. `identity` replaces `data` in the `id`, for data with figures that change while the state stays. `at` is when
 * the state began.
 */
export function outcomeEvent({
  from,
  at,
  data,
  identity,
  ...named
}: Pick<OutcomeEvent, "type" | "source" | "subject" | "data"> &
  Readonly<{
    from: string;
    at: Date | string;
    identity?: Readonly<Record<string, unknown>>;
  }>): OutcomeEvent {
  const event = { ...named, data: redactTexts(data) };
  const id = outcomeId({ ...event, from, data: identity ?? event.data });
  const time = typeof at === "string" ? at : at.toISOString();
  const dataschema = dataSchemaOf(event.type);
  return { specversion: "1.0", ...event, id, time, datacontenttype: "application/json", dataschema };
}

/** The `$id` of docs/reference/events.schema.json. Its number increases with each breaking change. */
export const eventsSchemaId = "urn:hubrelay:events:1";

/** Returns the URI of the JSON Schema for `data` of events of this type. */
export function dataSchemaOf(type: OutcomeType): string {
  return `${eventsSchemaId}#/$defs/${type}/properties/data`;
}

/** Returns the id of an outcome, which is a hash of these fields. */
export function outcomeId({
  type,
  source,
  subject,
  from,
  data,
}: Pick<OutcomeEvent, "type" | "source" | "subject" | "data"> & Readonly<{ from: string }>): string {
  const content = JSON.stringify([type, source, subject, from, data]);
  return hash("sha256", content).slice(0, 32);
}
