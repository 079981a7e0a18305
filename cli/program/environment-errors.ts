import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { HubError } from "#shared/ports/hub.ts";
import { QueueError } from "#shared/ports/queue.ts";
import { UsageError } from "./exit-codes.ts";

/**
 * Runs code that uses the hub and queues. An invalid setting, or a hub or queue that refuses or cannot be reached,
 * becomes a `UsageError`: one line and exit code 2. Anything else is a bug and keeps its stack.
 */
export async function inEnvironment<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (isOfEnvironment(error)) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

function isOfEnvironment(error: unknown): error is Error {
  if (error instanceof AggregateError) return error.errors.every(isOfEnvironment);
  return error instanceof EnvironmentError || error instanceof HubError || error instanceof QueueError;
}
