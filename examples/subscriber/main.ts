import { SQSClient } from "@aws-sdk/client-sqs";
import { ticketConsumer } from "./consumer.ts";
import { fileTicketsOf } from "./lines.ts";
import { ticketFolder } from "./ticket-store.ts";

const { QUEUE_URL: queueUrl, TICKETS: folder = "tickets" } = process.env;
const store = ticketFolder(folder);
const signals = ["SIGINT", "SIGTERM"];
if (queueUrl) {
  // The AWS SDK reads region, credentials and endpoint from the environment.
  const consumer = ticketConsumer({ sqs: new SQSClient({}), queueUrl, store, log: console.log });
  consumer.start();
  for (const signal of signals) process.once(signal, () => consumer.stop({ abort: true }));
} else {
  // Ctrl-C reaches both ends of a pipe: this one ends after the other's last event.
  for (const signal of signals) process.on(signal, () => undefined);
  await fileTicketsOf(process.stdin, store, console.log);
}
