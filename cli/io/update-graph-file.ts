import { fileProblem, readRegularFile } from "#shared/adapters/file-text.ts";
import { isRecord, parseJson } from "#shared/domain/kubernetes/json/values.ts";
import { UsageError } from "../program/exit-codes.ts";

/** Throws one `UsageError`, not one for each channel, if the file cannot be read or is not a JSON object. */
export async function requireUpdateGraph(file: string): Promise<void> {
  const text = await readRegularFile(file).catch((error) => {
    throw new UsageError(`--update-graph ${file} cannot be read: ${fileProblem(error)}`);
  });
  if (!isRecord(parseJson(text)))
    throw new UsageError(`--update-graph ${file} is not an update graph, which is a JSON object with nodes.`);
}
