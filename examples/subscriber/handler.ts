import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { fileTicket, type Log } from "./file-ticket.ts";
import { type TicketStore, ticketFolder } from "./ticket-store.ts";

/** A handler for an event source mapping with `ReportBatchItemFailures`. */
export function ticketHandler(store: TicketStore, log: Log) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const done = await Promise.all(Records.map(({ body }) => fileTicket(body, store, log)));
    const failed = Records.filter((_, index) => !done[index]);
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

/** The function: `TICKETS` names a folder that all its instances share, a mount of EFS for instance. */
export const handler = ticketHandler(ticketFolder(process.env.TICKETS ?? "/mnt/tickets"), console.log);
