import { readJson } from "../kubernetes/json/nesting.ts";
import { isRecord, type UnknownRecord } from "../kubernetes/json/values.ts";
import { printable, sentence } from "../text/redact.ts";

const maxShownLength = 48;

/** Returns a value as a short text of printable ASCII, without possible credentials, for the reason of a refusal. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (value === undefined) return "missing";
  if (typeof value !== "string") return String(value);
  const escaped = JSON.stringify(printable(value.slice(0, 1024)))
    .slice(1, -1)
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return escaped.length > maxShownLength ? `"${escaped.slice(0, maxShownLength)}..."` : `"${escaped}"`;
}

/** A refused message. The reason is one sentence with the field, its value and the expected value. */
export type Refusal = Readonly<{ ok: false; reason: string }>;

/** A message's content without its envelopes. `path` is the content's place in them, such as `Message.`. */
export type Content = Readonly<{ ok: true; content: UnknownRecord; path: string }>;

/** SQS accepts message bodies of at most this many bytes. */
const maxBodyLength = 1_048_576;
/** Three envelopes and the content. EventBridge to SNS to SQS makes two envelopes; more than three mean a loop. */
const deepestEnvelope = 4;

export function refusal(reason: string): Refusal {
  return { ok: false, reason };
}

function parseObject(text: string, where: string, path: string): Content | Refusal {
  let content: unknown;
  try {
    content = readJson(text);
  } catch {
    if (text === "") return refusal(sentence`${where} is empty.`);
    // The text may contain credentials, so only the first character is quoted.
    return refusal(
      sentence`${where} is not JSON: ${text.length} characters that start with ${shown(text.charAt(0))}.`,
    );
  }
  if (isRecord(content)) return { ok: true, content, path };
  const found = content === null ? "null" : Array.isArray(content) ? "a list" : `a ${typeof content}`;
  return refusal(sentence`${where} is ${found}, not an object.`);
}

function isSnsEnvelope({ Type, TopicArn, Message, specversion }: UnknownRecord): boolean {
  // Messages about subscriptions are envelopes too: `openSns` refuses them without showing their token.
  return (
    typeof Type === "string" && (TopicArn !== undefined || Message !== undefined) && specversion === undefined
  );
}

function isEventBridgeEnvelope(content: UnknownRecord): boolean {
  return content["detail-type"] !== undefined && content.specversion === undefined;
}

function openSns({ Type, Message }: UnknownRecord, path: string): Content | Refusal {
  if (Type !== "Notification")
    return refusal(sentence`${path}Type is ${shown(Type)}: SNS sends events as "Notification".`);
  if (typeof Message !== "string")
    return refusal(sentence`${path}Message of the SNS envelope is not a string.`);
  return parseObject(Message, sentence`${path}Message of the SNS envelope`, `${path}Message.`);
}

function openEventBridge({ detail }: UnknownRecord, path: string): Content | Refusal {
  if (isRecord(detail)) return { ok: true, content: detail, path: `${path}detail.` };
  return refusal(sentence`${path}detail of the EventBridge envelope is ${shown(detail)}, not an object.`);
}

/** Returns what a message body contains inside its SNS and EventBridge envelopes, or a refusal. Never throws. */
export function openEnvelopes(body: string): Content | Refusal {
  if (body.length > maxBodyLength)
    return refusal(`The body has ${body.length} characters; 1 MiB is the limit.`);
  let inner = parseObject(body, "The body", "");
  for (let depth = 0; depth < deepestEnvelope; depth++) {
    if (!inner.ok) return inner;
    if (isSnsEnvelope(inner.content)) inner = openSns(inner.content, inner.path);
    else if (isEventBridgeEnvelope(inner.content)) inner = openEventBridge(inner.content, inner.path);
    else return inner;
  }
  return refusal(`The body has more than ${deepestEnvelope - 1} envelopes around its content.`);
}
