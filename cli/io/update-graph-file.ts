import { readFile } from "node:fs/promises";
import { isRecord } from "#shared/domain/json/values.ts";
import { UsageError } from "../program/exit-codes.ts";
import { checkUpdateGraphFile } from "../program/option-values.ts";

/** Throws `UsageError` when the file cannot be read or is not an update graph, once, instead of an error for every channel. */
export async function requireUpdateGraph(file: string): Promise<void> {
  await checkUpdateGraphFile(file);
  if (!isJsonObject(await readFile(file, "utf8")))
    throw new UsageError(`--update-graph ${file} is not an update graph, which is a JSON object with nodes.`);
}

function isJsonObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}
