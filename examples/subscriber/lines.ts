import { createInterface } from "node:readline";
import { fileTicket, type Log } from "./file-ticket.ts";
import type { TicketStore } from "./ticket-store.ts";

/** Files the tickets of events that arrive as lines, as `hubrelay dev --events` prints them. Ends with the input. */
export async function fileTicketsOf(
  input: NodeJS.ReadableStream,
  store: TicketStore,
  log: Log,
): Promise<void> {
  for await (const line of createInterface({ input })) await fileTicket(line, store, log);
}
