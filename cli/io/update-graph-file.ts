import { open } from "node:fs/promises";
import { UsageError } from "../program/usage-error.ts";

/** Throws `UsageError` when the file of an update graph cannot be read. */
export async function checkUpdateGraphFile(file: string): Promise<void> {
  try {
    await (await open(file)).close();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--update-graph ${file} cannot be read: ${why}`);
  }
}
