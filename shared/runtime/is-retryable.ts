import { isRetryableHubError } from "../ports/hub.ts";
import { OutcomeTopicError } from "../ports/outcome-topic.ts";
import { QueueError } from "../ports/queue.ts";
import { isRetryableRegistryError } from "../ports/registry.ts";

/**
 * True for trouble that time heals, of the hub, a queue, the topic or a registry; what is missing has to be made first,
 * and what is too large stays so.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof QueueError || error instanceof OutcomeTopicError)
    return !["QueueMissing", "TopicMissing", "TooLarge"].includes(error.code);
  return isRetryableHubError(error) || isRetryableRegistryError(error);
}
