import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { type OutgoingMessage, type Queue, QueueError, type ReceivedMessage } from "../../ports/queue.ts";
import { runConcurrently } from "../../runtime/run-concurrently.ts";
import { confirmEntries } from "./batch-answer.ts";
import { batchesOf, batchLimits, messageBytes, stringAttributes } from "./message-batches.ts";
import { queueNameOf, sqsTrouble } from "./sqs-trouble.ts";

/** Requests of one call that may be under way: thousands of messages would else wait for one another. */
const requestsAtOnce = 4;

const bytesOf = ({ body, attributes }: OutgoingMessage) => messageBytes(body, attributes);

function entryOf({ body, delaySeconds, attributes }: OutgoingMessage, index: number) {
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

/**
 * The queue behind a URL, on AWS or any server that speaks SQS's protocol. The client retries trouble of the
 * network, throttling and 5xx; what is left of it is a `QueueError`.
 */
export function sqsQueue(client: SQSClient, url: string): Queue {
  const name = queueNameOf(url);

  /** Runs one request and turns whatever it throws into a `QueueError`. */
  const ask = async <WatchResponder>(
    action: string,
    code: QueueError["code"],
    request: () => Promise<WatchResponder>,
  ): Promise<WatchResponder> => {
    try {
      return await request();
    } catch (error) {
      throw sqsTrouble(url, action, code, error);
    }
  };

  /** A message that no request can hold would fail after its neighbours were sent: it is refused before. */
  const refuseOversized = (messages: readonly OutgoingMessage[]): void => {
    for (const [index, message] of messages.entries()) {
      const bytes = bytesOf(message);
      if (bytes <= batchLimits.bytes) continue;
      const which = `message ${index + 1} of ${messages.length} has ${bytes} bytes`;
      throw new QueueError(
        "TooLarge",
        `queue ${name}: ${which}, more than ${batchLimits.bytes}; nothing was sent`,
      );
    }
  };

  /** Throws when the server did not confirm all of a batch. */
  const insist = (
    code: QueueError["code"],
    what: string,
    entries: number,
    codes: readonly string[],
  ): void => {
    if (codes.length === 0) return;
    const distinct = [...new Set(codes)].join(", ");
    throw new QueueError(
      code,
      `queue ${name}: ${codes.length} of ${entries} messages not ${what}: ${distinct}`,
    );
  };

  return {
    name,
    url,

    async send(messages) {
      refuseOversized(messages);
      await runConcurrently(batchesOf(messages, bytesOf), requestsAtOnce, async (batch) => {
        const codes = await ask("SendMessageBatch", "SendFailed", () =>
          confirmEntries(batch.map(entryOf), (Entries) =>
            client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries })),
          ),
        );
        insist("SendFailed", "taken", batch.length, codes);
      });
    },

    async receive({ waitSeconds, hiddenSeconds, signal }) {
      const command = new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: batchLimits.entries,
        WaitTimeSeconds: waitSeconds,
        ...(hiddenSeconds === undefined ? {} : { VisibilityTimeout: hiddenSeconds }),
        MessageAttributeNames: ["All"],
        MessageSystemAttributeNames: ["ApproximateReceiveCount", "SentTimestamp"],
      });
      return ask("ReceiveMessage", "QueueUnavailable", async () => {
        try {
          const { Messages = [] } = await client.send(command, signal ? { abortSignal: signal } : {});
          return Messages.map(received);
        } catch (error) {
          if (signal?.aborted) return [];
          throw error;
        }
      });
    },

    async delete(receiptHandles) {
      await runConcurrently(
        batchesOf(receiptHandles, () => 0),
        requestsAtOnce,
        async (batch) => {
          const entries = batch.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
          const codes = await ask("DeleteMessageBatch", "QueueUnavailable", () =>
            confirmEntries(entries, (Entries) =>
              client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries })),
            ),
          );
          insist("QueueUnavailable", "deleted", batch.length, codes);
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
