import { randomUUID } from "node:crypto";
import { link, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Ticket } from "./ticket.ts";

/** Where tickets are filed. */
export type TicketStore = Readonly<{
  /** Files a ticket unless there is one of its key; answers whether it did. One of many at the same time wins. */
  create(ticket: Ticket): Promise<boolean>;
}>;

const isThere = (error: unknown) => error instanceof Error && "code" in error && error.code === "EEXIST";

/**
 * Tickets as files, `KEY.json` each. A file gets its name when it is whole, by a link, which the file system refuses
 * where the name is taken: neither a second process nor one that was killed makes another ticket or a part of one.
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
        if (isThere(error)) return false;
        throw error;
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}
