import { hash } from "node:crypto";
import { redactTexts } from "../text/redact.ts";

/**
 * Every type of outcome event. `when` completes the sentence "It is sent when …". The TypeScript type of events, their
 * JSON Schema and the documentation are derived from this list.
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

/**
 * A CloudEvent 1.0 in structured JSON that reports a function's write or refusal to subscribers. `id` is a hash of the
 * decision's content, so that subscribers recognize a repeated delivery.
 */
export type OutcomeEvent = Readonly<{
  specversion: "1.0";
  type: OutcomeType;
  source: string;
  subject: string;
  id: string;
  /** When the reported state began, in RFC 3339; a repeated publication has the same time. */
  time?: string;
  datacontenttype: "application/json";
  /** The schema of `data`. Outcomes stored by hubrelay 0.1.0 have neither `dataschema` nor `time`. */
  dataschema?: string;
  /** The id of the hub event that led to the outcome, for searches in logs; `id` does not depend on it. */
  correlationid?: string;
  data: Readonly<Record<string, unknown>>;
}>;

/**
 * Builds an outcome event. `from`, a resourceVersion or transition time, identifies the state before or after the write:
 * a change from A to B, back to A and to B again is three outcomes with three ids, while a retry of one step repeats its
 * id. `identity` replaces `data` in the id, for data with figures that change while the state stays. `at` is when the
 * state began, so that a repeated outcome has the same `time`. Possible credentials are redacted in `data`, which quotes
 * user input and has many readers.
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

/**
 * The `$id` of docs/reference/events.schema.json. Its number increases when a change of the schema could break existing
 * subscribers.
 */
export const eventsSchemaId = "urn:hubrelay:events:1";

/** Returns the URI of the JSON Schema for `data` of events of this type; it is in docs/reference/events.schema.json. */
export function dataSchemaOf(type: OutcomeType): string {
  return `${eventsSchemaId}#/$defs/${type}/properties/data`;
}

/** Returns an outcome's id: a hash of its type, source, subject and data, and of the state `from`. */
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
