import { randomUUID } from "node:crypto";
import { link, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Ticket } from "./ticket.ts";

export type TicketStore = Readonly<{
  /** Files a ticket unless one with its key exists; returns whether it did. Of concurrent calls, one returns true. */
  create(ticket: Ticket): Promise<boolean>;
}>;

const alreadyExists = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "EEXIST";

/**
 * Stores tickets as files `KEY.json`. A complete file gets its name by a link, which fails if the name exists: neither
 * concurrent nor killed processes create a duplicate or partial ticket.
 */
export function ticketFolder(folder: string): TicketStore {
  return {
    async create(ticket) {
      await mkdir(folder, { recursive: true });
      const draft = join(folder, `.${randomUUID()}.draft`);
      try {
        const file = await open(draft, "wx");
        try {
          await file.writeFile(`${JSON.stringify(ticket, null, 2)}\n`);
          await file.sync();
        } finally {
          await file.close();
        }
        await link(draft, join(folder, `${ticket.key}.json`));
        return true;
      } catch (error) {
        if (alreadyExists(error)) return false;
        throw error;
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}
