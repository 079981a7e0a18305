import { apiPath, kindOf } from "../kubernetes/kinds.ts";
import { displayName, type ObjectReference } from "../kubernetes/object.ts";
import { isJsonObject, type JsonObject, openEnvelopes, type Refusal, refusal } from "./envelope.ts";
import { parseObjectAsReference, parseReference } from "./reference.ts";
import { shown } from "./shown.ts";

/** What happened to the object. */
export type Verb = "add" | "update" | "delete";

/**
 * The CloudEvent 1.0 (structured JSON) that says: look at this object again. `id` is
 * `<uid>/<resourceVersion>/<verb>`, so that a repeated event is recognisable; `subject` is the object's API
 * path, for people and subscription filters.
 */
export type HubCloudEvent = Readonly<{
  specversion: "1.0";
  type: `dev.knative.apiserver.ref.${Verb}`;
  source: string;
  subject: string;
  id: string;
  datacontenttype: "application/json";
  /** The id that runs through all logs, from the first event to the last outcome; absent where this is the first. */
  correlationid?: string;
  data: ObjectReference & Readonly<{ feedback?: JsonObject }>;
}>;

/** An object of the hub changed, or is named again by a resync: a hint to look, never a command. */
export type HubEvent = Readonly<{
  trigger: "object";
  verb: Verb;
  reference: ObjectReference;
  /** What the event tells of the object besides, for functions that would else have to read it; unchecked. */
  feedback?: JsonObject;
  /** For people: made from the reference, whatever subject the sender wrote. */
  subject: string;
  type: string;
  source: string;
  id: string;
  /** The event's own id, unless it follows from another event. */
  correlationId: string;
}>;

/** A schedule fired: EventBridge Scheduler, cron, or a person with `{"tick": "resync"}`. */
export type ScheduleTick = Readonly<{
  trigger: "schedule";
  tick: string;
  /** For people: the tick's name. */
  subject: string;
  type: typeof tickType;
}>;

export type IncomingEvent = HubEvent | ScheduleTick;
export type ParsedHubEvent = Readonly<{ ok: true; event: IncomingEvent }> | Refusal;

/** The type of a tick that is a CloudEvent, and the type that a bare tick is given. */
const tickType = "dev.hubrelay.schedule.tick";

const typePrefix = "dev.knative.apiserver.";
const verbs: readonly Verb[] = ["add", "update", "delete"];

/** CloudEvents attributes hold no control characters; these two are only ever logged. */
const attributePattern = /^[^\p{Cc}\p{Cs}]{1,1024}$/u;
const tickPattern = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The event for a change of one object.
 *
 * `source` names the hub: its API server's URL or a configured id. A reference without uid or resourceVersion,
 * which no hub hands out, gives an id that repeats for every change of the object; one of a kind that hubrelay
 * does not know has its name instead of an API path as subject. `feedback` rides along in `data`.
 */
export function hubEvent(
  verb: Verb,
  reference: ObjectReference,
  { source, feedback }: Readonly<{ source: string; feedback?: JsonObject | undefined }>,
): HubCloudEvent {
  const kind = kindOf(reference);
  const subject = kind ? apiPath(kind, reference) : displayName(reference);
  return {
    specversion: "1.0",
    type: `dev.knative.apiserver.ref.${verb}`,
    source,
    subject,
    id: `${reference.uid ?? subject}/${reference.resourceVersion ?? "unknown"}/${verb}`,
    datacontenttype: "application/json",
    data: { ...reference, ...(feedback ? { feedback } : {}) },
  };
}

/** The verb of a Knative type and whether `data` is a reference or the whole object. */
function modeOf(type: unknown): Readonly<{ verb: Verb; whole: boolean }> | undefined {
  for (const verb of verbs) {
    if (type === `${typePrefix}ref.${verb}`) return { verb, whole: false };
    if (type === `${typePrefix}resource.${verb}`) return { verb, whole: true };
  }
  return undefined;
}

function parseTick(content: unknown, path: string): ParsedHubEvent {
  const tick = isJsonObject(content) ? content.tick : undefined;
  if (typeof tick === "string" && tickPattern.test(tick))
    return { ok: true, event: { trigger: "schedule", tick, subject: tick, type: tickType } };
  return refusal(`${path}tick is ${shown(tick)}, not a name such as "resync".`);
}

function parseCloudEvent(content: JsonObject, path: string): ParsedHubEvent {
  const { specversion, type, source, id, correlationid, data } = content;
  if (specversion !== "1.0") return refusal(`${path}specversion is ${shown(specversion)}, not "1.0".`);
  if (typeof type !== "string") return refusal(`${path}type is ${shown(type)}, not a string.`);
  if (typeof source !== "string" || !attributePattern.test(source))
    return refusal(`${path}source is ${shown(source)}, not the name of a hub.`);
  if (typeof id !== "string" || !attributePattern.test(id))
    return refusal(`${path}id is ${shown(id)}, not an event's id.`);
  if (data === undefined) return refusal(`${path}data is missing; it must be JSON, not data_base64.`);
  if (type === tickType) return parseTick(data, `${path}data.`);
  const mode = modeOf(type);
  if (!mode)
    return refusal(`${path}type is ${shown(type)}, not ${typePrefix}(ref|resource).(add|update|delete).`);

  const result = (mode.whole ? parseObjectAsReference : parseReference)(data, `${path}data`);
  if (!result.ok) return result;
  const { reference } = result;
  const { verb } = mode;
  const correlationId =
    typeof correlationid === "string" && attributePattern.test(correlationid) ? correlationid : id;
  const told = !mode.whole && isJsonObject(data) && isJsonObject(data.feedback) ? data.feedback : undefined;
  const feedback = told ? { feedback: told } : {};
  return {
    ok: true,
    event: {
      trigger: "object",
      verb,
      reference,
      ...feedback,
      subject: displayName(reference),
      type,
      source,
      id,
      correlationId,
    },
  };
}

/**
 * Reads a message body: hubrelay's own events, Knative's ApiServerSource in reference and in resource mode,
 * schedule ticks, each bare or in SNS and EventBridge envelopes. Of a CloudEvent only `type` and `data` are
 * understood; `id`, `source` and `correlationid` are kept for the log, `subject` is never read.
 *
 * Never throws. A message that is none of these is refused with one ASCII sentence of at most 200 characters
 * that holds no credentials, fit for a message attribute.
 */
export function parseHubEvent(body: string): ParsedHubEvent {
  const opened = openEnvelopes(body);
  if (!opened.ok) return opened;
  const { content, path } = opened;
  if (content.specversion !== undefined) return parseCloudEvent(content, path);
  if (content.tick !== undefined) return parseTick(content, path);
  const where = path === "" ? "The body" : path.slice(0, -1);
  return refusal(
    `${where} is no CloudEvent (specversion is missing), no SNS or EventBridge envelope and no tick.`,
  );
}
