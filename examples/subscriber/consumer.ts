import type { SQSClient } from "@aws-sdk/client-sqs";
import { Consumer } from "sqs-consumer";
import { fileTicket, type Log } from "./file-ticket.ts";
import type { TicketStore } from "./ticket-store.ts";

export type ConsumerOptions = Readonly<{ sqs: SQSClient; queueUrl: string; store: TicketStore; log: Log }>;

/** Returns a consumer of the queue, not yet started. It deletes filed messages; others are delivered again. */
export function ticketConsumer({ sqs, queueUrl, store, log }: ConsumerOptions): Consumer {
  const consumer = Consumer.create({
    sqs,
    queueUrl,
    batchSize: 10,
    waitTimeSeconds: 20,
    strictReturn: true,
    handleMessageBatch: async (messages) => {
      const done = await Promise.all(messages.map(({ Body = "" }) => fileTicket(Body, store, log)));
      return messages.filter((_, index) => done[index]);
    },
  });
  consumer.on("error", (error) => {
    // A long poll that the end of the process interrupts is not an error.
    if (consumer.status.isRunning) log(`queue: ${error.message}`);
  });
  return consumer;
}
