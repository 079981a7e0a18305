import { lastPart } from "../aws/aws-error.ts";

/** The part that the results of SQS's and SNS's batch requests have in common. */
export type BatchResult = Readonly<{
  Successful?: readonly Readonly<{ Id?: string | undefined }>[] | undefined;
  Failed?: readonly Readonly<{ Id: string | undefined; Code: string | undefined }>[] | undefined;
}>;

/**
 * Sends entries as one batch request, and once more those that the server did not confirm: a batch request succeeds as
 * a whole even when only some of its entries were accepted. An entry missing in the result counts as rejected. Returns
 * the error code of each entry that was rejected twice.
 */
export async function confirmEntries<Entry extends { Id: string }>(
  entries: readonly Entry[],
  request: (entries: Entry[]) => Promise<BatchResult>,
): Promise<readonly string[]> {
  let open = [...entries];
  let failed: BatchResult["Failed"] = [];
  for (let attempt = 0; attempt < 2 && open.length > 0; attempt++) {
    const result = await request(open);
    const accepted = new Set(result.Successful?.map(({ Id }) => Id));
    open = open.filter(({ Id }) => !accepted.has(Id));
    failed = result.Failed ?? [];
  }
  return open.map(({ Id }) => lastPart(failed.find((entry) => entry.Id === Id)?.Code ?? "NotConfirmed"));
}
