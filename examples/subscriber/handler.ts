import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { fileTicket, type Log } from "./file-ticket.ts";
import { type TicketStore, ticketFolder } from "./ticket-store.ts";

/** Returns a handler for an event source mapping with `ReportBatchItemFailures`. */
export function ticketHandler(store: TicketStore, log: Log) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const done = await Promise.all(Records.map(({ body }) => fileTicket(body, store, log)));
    const failed = Records.filter((_, index) => !done[index]);
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

/** The function. `TICKETS` is a folder that all its instances share, for instance an EFS mount. */
export const handler = ticketHandler(ticketFolder(process.env.TICKETS ?? "/mnt/tickets"), console.log);
