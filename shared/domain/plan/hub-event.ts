import { fieldsOf, type UnknownRecord } from "../kubernetes/json/values.ts";
import { apiPath, displayName, kindOf, kinds, type ObjectReference } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import { openEnvelopes, type Refusal, refusal, shown } from "./envelope.ts";
import { parseObjectAsReference, parseReference } from "./reference.ts";

/** How an object has changed. */
export type Verb = "add" | "update" | "delete";

/**
 * A CloudEvent 1.0 in structured JSON that requests a reconcile of an object. A repeated event has the same `id`. The
 * `subject` is an API path, for people and subscription filters.
 */
export type HubCloudEvent = Readonly<{
  specversion: "1.0";
  type: `dev.knative.apiserver.ref.${Verb}`;
  source: string;
  subject: string;
  id: string;
  datacontenttype: "application/json";
  /** The id of the first event in this chain of events, for searches in logs; absent in the first event itself. */
  correlationid?: string;
  data: ObjectReference;
}>;

/** A hint to reconcile an object, after a change or in a resync; never a command. */
export type HubEvent = Readonly<{
  trigger: "object";
  verb: Verb;
  reference: ObjectReference;
  /** The object's name, for display. It is derived from the reference, because a sender's subject may be wrong. */
  subject: string;
  type: string;
  source: string;
  id: string;
  /** The id of the first event in this chain of events, which may be this event. */
  correlationId: string;
}>;

/** A tick of a schedule, sent by EventBridge Scheduler, cron, or a person (`{"tick": "resync"}`). */
export type ScheduleTick = Readonly<{
  trigger: "schedule";
  tick: string;
  subject: string;
  type: typeof tickType;
}>;

export type IncomingEvent = HubEvent | ScheduleTick;
export type ParsedHubEvent = Readonly<{ ok: true; event: IncomingEvent }> | Refusal;

const tickType = "dev.hubrelay.schedule.tick";

const typePrefix = "dev.knative.apiserver.";
const verbs: readonly Verb[] = ["add", "update", "delete"];

/** The form of an event's `source`, `id` and `correlationid`: any text without control characters. */
const attributePattern = /^[^\p{Cc}\p{Cs}]{1,1024}$/u;
const tickPattern = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** Returns the event for a change of one object. `source` is the URL of the hub's API server or a configured id. */
export function hubEvent(
  verb: Verb,
  reference: ObjectReference,
  { source }: Readonly<{ source: string }>,
): HubCloudEvent {
  const kind = kindOf(reference);
  const { cluster } = reference;
  const object = kind ? apiPath(kind, reference) : displayName(reference);
  const subject = cluster === undefined ? object : apiPath(kinds.ManagedCluster, { name: cluster });
  return {
    specversion: "1.0",
    type: `dev.knative.apiserver.ref.${verb}`,
    source,
    subject,
    id: [reference.uid ?? object, reference.resourceVersion ?? "unknown", verb, cluster ?? []]
      .flat()
      .join("/"),
    datacontenttype: "application/json",
    data: reference,
  };
}

/** Knative's ids are UUIDs. hubrelay's ids begin with the object's uid or, without a uid, with its API path. */
const idPattern =
  /^(?:[0-9a-f-]{36}|(?:\/[a-z0-9.-]{1,253}){1,8})(?:\/\w{1,64}\/(?:add|update|delete)(?:\/[a-z0-9.-]{1,253})?)?$/;

/** Reports whether a text has the form of an event's id. Any other text must not be written to the hub. */
export function isEventId(text: unknown): text is string {
  return typeof text === "string" && text.length <= 1024 && idPattern.test(text);
}

function modeOf(type: unknown): Readonly<{ verb: Verb; whole: boolean }> | undefined {
  for (const verb of verbs) {
    if (type === `${typePrefix}ref.${verb}`) return { verb, whole: false };
    if (type === `${typePrefix}resource.${verb}`) return { verb, whole: true };
  }
  return undefined;
}

function parseTick(content: unknown, path: string): ParsedHubEvent {
  const tick = fieldsOf(content).tick;
  if (typeof tick === "string" && tickPattern.test(tick))
    return { ok: true, event: { trigger: "schedule", tick, subject: tick, type: tickType } };
  return refusal(sentence`${path}tick is ${shown(tick)}, not a name such as "resync".`);
}

function parseCloudEvent(content: UnknownRecord, path: string): ParsedHubEvent {
  const { specversion, type, source, id, correlationid, data } = content;
  if (specversion !== "1.0")
    return refusal(sentence`${path}specversion is ${shown(specversion)}, not "1.0".`);
  if (typeof type !== "string") return refusal(sentence`${path}type is ${shown(type)}, not a string.`);
  if (typeof source !== "string" || !attributePattern.test(source))
    return refusal(sentence`${path}source is ${shown(source)}, not the name of a hub.`);
  if (typeof id !== "string" || !attributePattern.test(id))
    return refusal(sentence`${path}id is ${shown(id)}, not an event's id.`);
  if (data === undefined) return refusal(sentence`${path}data is missing; it must be JSON, not data_base64.`);
  if (type === tickType) return parseTick(data, `${path}data.`);
  const mode = modeOf(type);
  if (!mode)
    return refusal(
      sentence`${path}type is ${shown(type)}, not ${typePrefix}(ref|resource).(add|update|delete).`,
    );

  const result = (mode.whole ? parseObjectAsReference : parseReference)(data, `${path}data`);
  if (!result.ok) return result;
  const { reference } = result;
  const { verb } = mode;
  const correlationId =
    typeof correlationid === "string" && attributePattern.test(correlationid) ? correlationid : id;
  return {
    ok: true,
    event: {
      trigger: "object",
      verb,
      reference,
      subject: displayName(reference),
      type,
      source,
      id,
      correlationId,
    },
  };
}

/**
 * Returns the event or tick in a message body. Only `type` and `data` of a CloudEvent have an effect; `id`, `source`
 * and `correlationid` are logged, `subject` is never read. Never throws: for any other message, the result is a refusal
 * of one ASCII sentence without credentials, of at most 200 characters, which can be stored as a message attribute.
 */
export function parseHubEvent(body: string): ParsedHubEvent {
  const opened = openEnvelopes(body);
  if (!opened.ok) return opened;
  const { content, path } = opened;
  if (content.specversion !== undefined) return parseCloudEvent(content, path);
  if (content.tick !== undefined) return parseTick(content, path);
  const where = path === "" ? "The body" : path.slice(0, -1);
  return refusal(
    sentence`${where} is not a CloudEvent (specversion is missing), not an SNS or EventBridge envelope and not a tick.`,
  );
}
