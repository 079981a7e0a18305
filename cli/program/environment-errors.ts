import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { HubError } from "#shared/ports/hub.ts";
import { QueueError } from "#shared/ports/queue.ts";
import { UsageError } from "./exit-codes.ts";

/**
 * Runs code that uses the hub and queues. An invalid setting, or a hub or queue that refuses requests or cannot be
 * reached, becomes a `UsageError`: one line and exit code 2. Several such errors become an `AggregateError` of
 * `UsageError`s. Any other error is a bug and keeps its stack.
 */
export async function inEnvironment<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
    if (!errors.every(isOfEnvironment)) throw error;
    const found = errors.map((one) => new UsageError(one.message, { cause: one }));
    throw found.length === 1 ? found[0] : new AggregateError(found);
  }
}

function isOfEnvironment(error: unknown): error is Error {
  return error instanceof EnvironmentError || error instanceof HubError || error instanceof QueueError;
}
