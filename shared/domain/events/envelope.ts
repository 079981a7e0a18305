import { shown } from "./shown.ts";

/** A JSON object whose fields are not yet known. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Why a message is refused: one sentence with the field, the value found there and the value expected. */
export type Refusal = Readonly<{ ok: false; reason: string }>;

/** The content of a message without its envelopes; `path` leads to it: ``, `Message.`, `Message.detail.`, … */
export type Content = Readonly<{ ok: true; content: JsonObject; path: string }>;

/** The SQS limit for a message. */
const longestBody = 1_048_576;
/** Bus to topic to queue is two; more is a loop. */
const deepestEnvelope = 4;

export function refusal(reason: string): Refusal {
  return { ok: false, reason };
}

/**
 * JSON.parse quotes its input in its messages, and a body may hold anything: only the first character is reported.
 */
function parseObject(text: string, where: string, path: string): Content | Refusal {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    if (text === "") return refusal(`${where} is empty.`);
    return refusal(
      `${where} is not JSON: ${text.length} characters that start with ${shown(text.charAt(0))}.`,
    );
  }
  if (isJsonObject(content)) return { ok: true, content, path };
  const found = content === null ? "null" : Array.isArray(content) ? "a list" : `a ${typeof content}`;
  return refusal(`${where} is ${found}, not an object.`);
}

/**
 * SNS without raw delivery wraps a message as a string in `Message`. In a subscription message, `Type` has another
 * value; such a message holds a token and is never shown.
 */
function isSnsEnvelope({ Type, TopicArn, Message, specversion }: JsonObject): boolean {
  return (
    typeof Type === "string" && (TopicArn !== undefined || Message !== undefined) && specversion === undefined
  );
}

function isEventBridgeEnvelope(content: JsonObject): boolean {
  return content["detail-type"] !== undefined && content.specversion === undefined;
}

function openSns({ Type, Message }: JsonObject, path: string): Content | Refusal {
  if (Type !== "Notification")
    return refusal(`${path}Type is ${shown(Type)}: SNS sends events as "Notification".`);
  if (typeof Message !== "string") return refusal(`${path}Message of the SNS envelope is not a string.`);
  return parseObject(Message, `${path}Message of the SNS envelope`, `${path}Message.`);
}

function openEventBridge({ detail }: JsonObject, path: string): Content | Refusal {
  if (isJsonObject(detail)) return { ok: true, content: detail, path: `${path}detail.` };
  return refusal(`${path}detail of the EventBridge envelope is ${shown(detail)}, not an object.`);
}

/** Removes the SNS and EventBridge envelopes of a message body, in any order. Never throws. */
export function openEnvelopes(body: string): Content | Refusal {
  if (body.length > longestBody)
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
