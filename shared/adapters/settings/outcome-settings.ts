import type { Environment } from "./environment.ts";
import { type OutcomeSink, outcomeSinks } from "./outcome-sinks.ts";
import { type OutcomeSubscriber, outcomeSubscribers } from "./outcome-subscribers.ts";

/** Where outcome events go beside the log: to everything that is set. */
export type OutcomeSettings = Readonly<{
  /** The ARN of an SNS topic. */
  topicArn?: string;
  /** The ARN or the name of an EventBridge bus. */
  bus?: string;
  /** The queues of subscribers; an empty list if nobody subscribes. */
  subscribers?: readonly OutcomeSubscriber[];
  /** Servers that take events over HTTP. */
  sinks?: readonly OutcomeSink[];
}>;

/**
 * Reads the targets of outcome events: the SNS topic HUBRELAY_OUTCOME_TOPIC_ARN, the EventBridge bus
 * HUBRELAY_OUTCOME_BUS, the queues of HUBRELAY_OUTCOME_SUBSCRIBERS and HUBRELAY_OUTCOME_QUEUE_URL, the servers of
 * HUBRELAY_OUTCOME_SINKS.
 */
export function outcomeSettings(environment: Environment): OutcomeSettings {
  const { HUBRELAY_OUTCOME_TOPIC_ARN: topicArn, HUBRELAY_OUTCOME_BUS: bus } = environment;
  const subscribers = outcomeSubscribers(environment);
  const sinks = outcomeSinks(environment);
  return {
    ...(topicArn ? { topicArn } : {}),
    ...(bus ? { bus } : {}),
    ...(subscribers ? { subscribers } : {}),
    ...(sinks ? { sinks } : {}),
  };
}
