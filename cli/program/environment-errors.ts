import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { HubError } from "#shared/ports/hub.ts";
import { QueueError } from "#shared/ports/queue.ts";
import { UsageError } from "./exit-codes.ts";

/** Runs code that uses a hub or queues. Errors of the settings, hub or queues become `UsageError`s. */
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
