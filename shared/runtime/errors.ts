import { isRetryableHubError } from "../ports/hub.ts";
import { OutcomeTopicError } from "../ports/outcome-topic.ts";
import { QueueError } from "../ports/queue.ts";
import { isRetryableRegistryError } from "../ports/registry.ts";

/**
 * Reports whether a retry may succeed after an error of the hub, a queue, the topic or a registry. A missing queue must be
 * created first, and what is too large stays too large. A missing topic may be back within the day in which outcomes wait.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof QueueError || error instanceof OutcomeTopicError)
    return !["QueueMissing", "TooLarge"].includes(error.code);
  return isRetryableHubError(error) || isRetryableRegistryError(error);
}

/** Returns an error as one line for a log: its name and message, never its stack or cause. */
export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
