import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import {
  dueAttribute,
  type OutgoingMessage,
  type Queue,
  QueueError,
  type ReceivedMessage,
} from "../../ports/queue.ts";
import { runConcurrently } from "../../runtime/run-concurrently.ts";
import { clientOptions } from "../aws/aws-client.ts";
import type { AwsConnection } from "../aws/aws-connection.ts";
import { queueNameOf } from "../settings/queue-urls.ts";
import {
  batchesOf,
  batchLimits,
  confirmEntries,
  maxMessageBytes,
  messageBytes,
  messageTooLong,
  sqsError,
  stringAttributes,
} from "./message-batches.ts";

/** Returns a client for SQS on AWS, or for another server with the same protocol. */
export function sqsClient(connection: AwsConnection): SQSClient {
  return new SQSClient(clientOptions(connection));
}

const requestConcurrency = 4;

const attributesOf = ({ attributes, delaySeconds }: OutgoingMessage) =>
  delaySeconds
    ? { ...attributes, [dueAttribute]: new Date(Date.now() + delaySeconds * 1000).toISOString() }
    : attributes;

const bytesOf = (message: OutgoingMessage) => messageBytes(message.body, attributesOf(message));

function entryOf(message: OutgoingMessage, index: number) {
  const { body, delaySeconds } = message;
  const attributes = attributesOf(message);
  return {
    Id: String(index),
    MessageBody: body,
    ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
    ...(attributes ? { MessageAttributes: stringAttributes(attributes) } : {}),
  };
}

function received({
  MessageId,
  ReceiptHandle,
  Body,
  Attributes,
  MessageAttributes,
}: Message): ReceivedMessage {
  const attributes = Object.entries(MessageAttributes ?? {}).flatMap(([name, { StringValue }]) =>
    StringValue === undefined ? [] : [[name, StringValue] as const],
  );
  return {
    id: MessageId ?? "",
    receiptHandle: ReceiptHandle ?? "",
    body: Body ?? "",
    receiveCount: Number(Attributes?.ApproximateReceiveCount ?? 1),
    sentAt: new Date(Number(Attributes?.SentTimestamp ?? 0)),
    attributes: Object.fromEntries(attributes),
  };
}

/** Called before any message is sent, since SQS itself would reject a message only after others were sent. */
function rejectOversized(name: string, messages: readonly OutgoingMessage[]): void {
  for (const [index, message] of messages.entries()) {
    const bytes = bytesOf(message);
    if (bytes <= maxMessageBytes) continue;
    const which = `message ${index + 1} of ${messages.length} has ${bytes} bytes`;
    throw new QueueError(
      "TooLarge",
      `queue ${name}: ${which}, more than ${maxMessageBytes}; nothing was sent`,
    );
  }
}

/** Returns the queue at a URL, on AWS or on another server with the SQS protocol. */
export function sqsQueue(client: SQSClient, url: string): Queue {
  const name = queueNameOf(url);

  const ask = async <Result>(
    action: string,
    code: QueueError["code"],
    request: () => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await request();
    } catch (error) {
      throw sqsError(url, action, code, error);
    }
  };

  const checkConfirmed = (
    code: QueueError["code"],
    what: string,
    entries: number,
    codes: ReadonlyMap<string, string>,
  ): void => {
    if (codes.size === 0) return;
    const distinct = [...new Set(codes.values())];
    throw new QueueError(
      distinct.includes(messageTooLong) ? "TooLarge" : code,
      `queue ${name}: ${codes.size} of ${entries} messages not ${what}: ${distinct.join(", ")}`,
    );
  };

  return {
    name,
    url,

    async send(messages) {
      rejectOversized(name, messages);
      await runConcurrently(batchesOf(messages, bytesOf), requestConcurrency, async (batch) => {
        const codes = await ask("SendMessageBatch", "SendFailed", () =>
          confirmEntries(batch.map(entryOf), (Entries) =>
            client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries })),
          ),
        );
        checkConfirmed("SendFailed", "accepted", batch.length, codes);
      });
    },

    async receive({ waitSeconds, max = batchLimits.entries, hiddenSeconds }) {
      const command = new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: Math.min(max, batchLimits.entries),
        WaitTimeSeconds: waitSeconds,
        ...(hiddenSeconds === undefined ? {} : { VisibilityTimeout: hiddenSeconds }),
        MessageAttributeNames: ["All"],
        MessageSystemAttributeNames: ["ApproximateReceiveCount", "SentTimestamp"],
      });
      const { Messages = [] } = await ask("ReceiveMessage", "QueueUnavailable", () => client.send(command));
      return Messages.map(received);
    },

    async delete(receiptHandles) {
      await runConcurrently(
        batchesOf(receiptHandles, () => 0),
        requestConcurrency,
        async (batch) => {
          const entries = batch.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
          const codes = await ask("DeleteMessageBatch", "QueueUnavailable", () =>
            confirmEntries(entries, (Entries) =>
              client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries })),
            ),
          );
          checkConfirmed("QueueUnavailable", "deleted", batch.length, codes);
        },
      );
    },

    async changeVisibility(receiptHandle, seconds) {
      const command = new ChangeMessageVisibilityCommand({
        QueueUrl: url,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      });
      await ask("ChangeMessageVisibility", "QueueUnavailable", () => client.send(command));
    },

    async depth() {
      const command = new GetQueueAttributesCommand({
        QueueUrl: url,
        AttributeNames: [
          "ApproximateNumberOfMessages",
          "ApproximateNumberOfMessagesNotVisible",
          "ApproximateNumberOfMessagesDelayed",
        ],
      });
      const { Attributes = {} } = await ask("GetQueueAttributes", "QueueUnavailable", () =>
        client.send(command),
      );
      return {
        visible: Number(Attributes.ApproximateNumberOfMessages ?? 0),
        inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
        delayed: Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0),
      };
    },
  };
}
