import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { HubError } from "#shared/ports/hub.ts";
import { QueueError } from "#shared/ports/queue.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Runs what talks to hub and queues: a setting that is wrong, a hub or queue that refuses or cannot be reached,
 * is the environment's fault, told in one line and exit code 2. Anything else is a bug and keeps its stack.
 */
export async function inEnvironment<Answer>(run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof EnvironmentError || error instanceof HubError || error instanceof QueueError)
      throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
