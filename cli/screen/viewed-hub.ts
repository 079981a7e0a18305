import type { Hub } from "#shared/ports/hub.ts";

/** What a view shows of the hub of `hubrelay dev`. */
export type ViewedHub = Readonly<{
  hub: Hub;
  /** Returns the file of an object that an event names, as the user would write it. */
  fileOf(subject: string): string | undefined;
  /** Returns the function that reads a queue. */
  readerOf(queue: string): string | undefined;
}>;
