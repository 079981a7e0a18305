import { readTicket } from "./ticket.ts";
import type { TicketStore } from "./ticket-store.ts";

export type Log = (line: string) => void;

/**
 * Files the ticket of one message, if it has one. Returns true when the message is done, false when it should be
 * delivered again.
 */
export async function fileTicket(body: string, store: TicketStore, log: Log): Promise<boolean> {
  const reading = readTicket(body);
  if (!reading.ok) {
    log(`a message cannot be read: ${reading.reason}`);
    return false;
  }
  const { ticket } = reading;
  if (!ticket) return true;
  try {
    const isNew = await store.create(ticket);
    log(`${isNew ? "filed" : "filed before"}: ${ticket.key} ${ticket.title}`);
    return true;
  } catch (error) {
    log(`not filed: ${ticket.key} ${ticket.title}: ${String(error)}`);
    return false;
  }
}
