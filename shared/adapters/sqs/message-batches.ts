import type { OutcomeEvent } from "../../domain/plan/outcome-event.ts";
import { QueueError } from "../../ports/queue.ts";
import { awsErrorName, awsErrorText, lastPart } from "../aws/aws-connection.ts";
import { queueNameOf } from "../settings/queue-urls.ts";

const missing: ReadonlySet<string> = new Set(["QueueDoesNotExist", "NonExistentQueue"]);

/** Reports whether an error of any supported server means that the queue does not exist. */
export function isQueueMissing(error: unknown): boolean {
  return missing.has(awsErrorName(error));
}

/** Returns a `QueueError` with this `code`, or with `QueueMissing` or `TooLarge` if that is what `error` means. */
export function sqsError(url: string, action: string, code: QueueError["code"], error: unknown): QueueError {
  const text = awsErrorText(error);
  const isTooLong = errorCode(awsErrorName(error), text) === messageTooLong;
  return new QueueError(
    isQueueMissing(error) ? "QueueMissing" : isTooLong ? "TooLarge" : code,
    `queue ${queueNameOf(url)}: ${action} failed: ${text}`,
    { cause: error },
  );
}

/** The limits of one batch request to SQS or SNS. `bytes` is the smallest limit of the supported servers. */
export const batchLimits = { entries: 10, bytes: 262_144 } as const;

/** The maximum size of a message on SQS, in bytes with its attributes. Other servers and queues may allow less. */
export const maxMessageBytes = 1_048_576;

/** The error code of a message that is larger than its queue allows. */
export const messageTooLong = "MessageTooLong";

/** Returns the code without its namespace; `messageTooLong` if a message is too large, whatever the server's code. */
function errorCode(code: string, text: string): string {
  const isTooLong = /MessageTooLong|BatchRequestTooLong|must be shorter than/.test(`${code} ${text}`);
  return isTooLong ? messageTooLong : lastPart(code);
}

type StringAttribute = Readonly<{ DataType: "String"; StringValue: string }>;

/** Returns message attributes in the form that SQS and SNS share. */
export function stringAttributes(
  attributes: Readonly<Record<string, string>>,
): Record<string, StringAttribute> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, { DataType: "String", StringValue: value }]),
  );
}

/**
 * Returns an event as the text of a message. SQS, also behind SNS, rejects U+FFFE and U+FFFF, and some servers reject
 * every character beyond U+FFFF, so JSON escapes replace these.
 */
export function messageText(event: OutcomeEvent): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(event).replace(/[\ufffe\uffff\ud800-\udfff]/g, escaped);
}

/** Returns a message's size in bytes as servers count it: the body, and name, type and value of each attribute. */
export function messageBytes(body: string, attributes: Readonly<Record<string, string>> = {}): number {
  return Object.entries(attributes).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + "String".length + Buffer.byteLength(value),
    Buffer.byteLength(body),
  );
}

/** Splits entries into requests within `batchLimits`, in order. A larger entry gets a request of its own. */
export function batchesOf<Entry>(
  entries: readonly Entry[],
  bytesOf: (entry: Entry) => number,
): readonly (readonly Entry[])[] {
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = bytesOf(entry);
    const last = batches.at(-1);
    if (last && last.length < batchLimits.entries && bytes + size <= batchLimits.bytes) {
      last.push(entry);
      bytes += size;
    } else {
      batches.push([entry]);
      bytes = size;
    }
  }
  return batches;
}

/** The fields that the results of batch requests to SQS and to SNS have in common. */
export type BatchResult = Readonly<{
  Successful?: readonly Readonly<{ Id?: string | undefined }>[] | undefined;
  Failed?:
    | readonly Readonly<{ Id: string | undefined; Code: string | undefined; Message?: string | undefined }>[]
    | undefined;
}>;

/**
 * Sends entries as one batch request, and sends the rejected entries once more: a request succeeds even if only some
 * entries were accepted. An entry missing in the result counts as rejected. Returns the error codes of the entries that
 * were rejected twice, by entry id.
 */
export async function confirmEntries<Entry extends { Id: string }>(
  entries: readonly Entry[],
  request: (entries: Entry[]) => Promise<BatchResult>,
): Promise<ReadonlyMap<string, string>> {
  let open = [...entries];
  let failed: NonNullable<BatchResult["Failed"]> = [];
  for (let attempt = 0; attempt < 2 && open.length > 0; attempt++) {
    const result = await request(open);
    const accepted = new Set(result.Successful?.map(({ Id }) => Id));
    open = open.filter(({ Id }) => !accepted.has(Id));
    failed = result.Failed ?? [];
  }
  const codeOf = (id: string): string => {
    const { Code = "NotConfirmed", Message = "" } = failed.find((entry) => entry.Id === id) ?? {};
    return errorCode(Code, Message);
  };
  return new Map(open.map(({ Id }) => [Id, codeOf(Id)]));
}
