import { fieldsOf, isRecord } from "../../domain/kubernetes/json/values.ts";

/** Which messages of a batch are done and which are received again; `reason` says why all of them are. */
export type BatchOutcome =
  | Readonly<{ complete: true; failed: ReadonlySet<string> }>
  | Readonly<{ complete: false; reason: string }>;

function failure(reason: string): BatchOutcome {
  return { complete: false, reason: `the handler's response is malformed: ${reason}` };
}

/**
 * Reads a handler's response as Lambda does with `ReportBatchItemFailures`: nothing, an empty object or an empty or
 * null list mean that all messages are done. A response that is invalid, or that names a message outside the batch,
 * fails the whole batch, since a wrong deletion cannot be undone.
 */
export function readBatchResponse(response: unknown, messageIds: readonly string[]): BatchOutcome {
  if (response === undefined || response === null) return { complete: true, failed: new Set() };
  if (!isRecord(response))
    return failure(`it is ${Array.isArray(response) ? "a list" : `a ${typeof response}`}`);
  const { batchItemFailures } = response;
  if (batchItemFailures === undefined || batchItemFailures === null)
    return { complete: true, failed: new Set() };
  if (!Array.isArray(batchItemFailures)) return failure("batchItemFailures is not a list");

  const failed = new Set<string>();
  const items: readonly unknown[] = batchItemFailures;
  for (const [index, item] of items.entries()) {
    const id = fieldsOf(item).itemIdentifier;
    if (typeof id !== "string" || !messageIds.includes(id))
      return failure(`batchItemFailures[${index}].itemIdentifier is not a message of the batch`);
    failed.add(id);
  }
  return { complete: true, failed };
}
