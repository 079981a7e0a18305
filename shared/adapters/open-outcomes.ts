import type { Log } from "../ports/log.ts";
import { acceptedDespite, type OutcomeTopic } from "../ports/outcome-topic.ts";
import { describeError } from "../ports/port-error.ts";
import { severalTopics, topicOfTypes } from "../runtime/topics/several-topics.ts";
import { awsConnection } from "./aws/aws-connection.ts";
import { topicLoadedWhenUsed } from "./loaded-when-used.ts";
import type { Environment } from "./settings/environment.ts";
import { outcomeSinks } from "./settings/outcome-settings.ts";

function loggedSink(topic: OutcomeTopic, sink: string, log: Log): OutcomeTopic {
  log({ event: "outcomes-sent", sink, messages: 0 });
  return {
    async publish(events) {
      try {
        await topic.publish(events);
        log({ event: "outcomes-sent", sink, messages: events.length });
      } catch (error) {
        const accepted = acceptedDespite(error).size;
        if (accepted > 0) log({ event: "outcomes-sent", sink, messages: accepted });
        const messages = events.length - accepted;
        log({ event: "outcomes-refused", sink, messages, error: describeError(error) });
        throw error;
      }
    },
  };
}

/** Opens every target of outcome events that the environment names. Throws `EnvironmentError`. */
export function openOutcomes(environment: Environment, log: Log): OutcomeTopic {
  const { HUBRELAY_OUTCOME_TOPIC_ARN: topicArn } = environment;
  const topics = outcomeSinks(environment).map((sink) => {
    const topic = topicLoadedWhenUsed(async () => {
      const { httpSink } = await import("./http-sink/http-sink.ts");
      return httpSink(sink, environment);
    });
    return topicOfTypes(loggedSink(topic, sink.name, log), sink.types);
  });
  if (topicArn) {
    const connection = awsConnection(environment);
    topics.push(
      topicLoadedWhenUsed(async () => {
        const { snsClient, snsOutcomeTopic } = await import("./sns/sns-outcome-topic.ts");
        return snsOutcomeTopic(snsClient(connection), topicArn);
      }),
    );
  }
  return severalTopics(topics);
}
