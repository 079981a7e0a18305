import { open } from "node:fs/promises";
import { UsageError } from "../program/usage-error.ts";

/** A file that cannot be read is a slip of the command line, and no answer of an update graph: throws `UsageError`. */
export async function checkUpdateGraphFile(file: string): Promise<void> {
  try {
    await (await open(file)).close();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--update-graph ${file} cannot be read: ${why}`);
  }
}
