import { lastPart } from "../aws/aws-error.ts";

/** What the answers to SQS's and SNS's batch requests have in common. */
export type BatchAnswer = Readonly<{
  Successful?: readonly Readonly<{ Id?: string | undefined }>[] | undefined;
  Failed?: readonly Readonly<{ Id: string | undefined; Code: string | undefined }>[] | undefined;
}>;

/**
 * Sends entries as one batch request, and once more those that the server did not confirm: a batch request
 * succeeds as a whole even when it took only some of its entries. An entry that an answer does not mention
 * counts as refused. Answers the error codes of the entries that were refused twice, one for each.
 */
export async function confirmEntries<Entry extends { Id: string }>(
  entries: readonly Entry[],
  request: (entries: Entry[]) => Promise<BatchAnswer>,
): Promise<readonly string[]> {
  let open = [...entries];
  let failed: BatchAnswer["Failed"] = [];
  for (let attempt = 0; attempt < 2 && open.length > 0; attempt++) {
    const answer = await request(open);
    const taken = new Set(answer.Successful?.map(({ Id }) => Id));
    open = open.filter(({ Id }) => !taken.has(Id));
    failed = answer.Failed ?? [];
  }
  return open.map(({ Id }) => lastPart(failed.find((entry) => entry.Id === Id)?.Code ?? "NotConfirmed"));
}
