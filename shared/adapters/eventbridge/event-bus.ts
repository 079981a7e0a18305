import {
  DescribeEventBusCommand,
  EventBridgeClient,
  ListRulesCommand,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from "@aws-sdk/client-eventbridge";
import type { OutcomeEvent } from "../../domain/plan/outcome-event.ts";
import { type OutcomeTopic, OutcomeTopicError } from "../../ports/outcome-topic.ts";
import { clientOptions } from "../aws/aws-client.ts";
import { type AwsConnection, awsErrorName, awsErrorText } from "../aws/aws-connection.ts";
import { type BatchTarget, publishInBatches } from "../publish-in-batches.ts";

/** The `source` of all outcomes on a bus, for the patterns of rules. Which hub it was is in `resources`. */
export const busSource = "dev.hubrelay";

/** Returns a client for EventBridge on AWS or any server with the same protocol. */
export function eventBridgeClient(connection: AwsConnection): EventBridgeClient {
  return new EventBridgeClient(clientOptions(connection));
}

/** A bus is given by its ARN or its name. */
const busNameOf = (bus: string) => bus.slice(bus.lastIndexOf("/") + 1);

function busError(bus: string, action: string, error: unknown): OutcomeTopicError {
  return new OutcomeTopicError(
    awsErrorName(error).startsWith("ResourceNotFound") ? "TopicMissing" : "PublishFailed",
    `event bus ${busNameOf(bus)}: ${action} failed: ${awsErrorText(error)}`,
    { cause: error },
  );
}

function entryOf(event: OutcomeEvent): PutEventsRequestEntry {
  const time = new Date(event.time ?? Number.NaN);
  return {
    Source: busSource,
    DetailType: event.type,
    Resources: [event.source, event.subject],
    Detail: JSON.stringify(event),
    ...(Number.isNaN(time.getTime()) ? {} : { Time: time }),
  };
}

/** EventBridge counts the texts of an entry, and 14 bytes for its time. */
function bytesOf({ Source = "", DetailType = "", Detail = "", Resources = [] }: PutEventsRequestEntry) {
  return [Source, DetailType, Detail, ...Resources].reduce((sum, text) => sum + Buffer.byteLength(text), 14);
}

/**
 * Returns an outcome topic on an EventBridge bus: `detail` is the CloudEvent, `detail-type` its type, `resources` the hub
 * and what the outcome is about. Events that were put again have another `id` on the bus, but the same in `detail`. AWS
 * accepts and drops events for a bus that does not exist.
 */
export function eventBusOutcomeTopic(client: EventBridgeClient, bus: string): OutcomeTopic {
  const target: BatchTarget<PutEventsRequestEntry> = {
    name: `event bus ${busNameOf(bus)}`,
    entryOf,
    bytesOf,
    async request(entries) {
      const put = new PutEventsCommand({
        Entries: entries.map(({ entry }) => ({ ...entry, EventBusName: bus })),
      });
      try {
        const { Entries = [] } = await client.send(put);
        // Results have no ids: they are in the order of the entries.
        const results = entries.map(({ Id }, index) => ({ Id, ...Entries[index] }));
        return {
          Successful: results.filter(({ EventId }) => EventId !== undefined),
          Failed: results.map(({ Id, ErrorCode }) => ({ Id, Code: ErrorCode })),
        };
      } catch (error) {
        throw busError(bus, "PutEvents", error);
      }
    },
  };
  return { publish: (events) => publishInBatches(target, events) };
}

/** Returns the number of rules of an existing bus. Throws `OutcomeTopicError`. */
export async function busRules(client: EventBridgeClient, bus: string): Promise<number> {
  try {
    await client.send(new DescribeEventBusCommand({ Name: bus }));
    const { Rules = [] } = await client.send(new ListRulesCommand({ EventBusName: bus }));
    return Rules.length;
  } catch (error) {
    throw busError(bus, "DescribeEventBus", error);
  }
}
