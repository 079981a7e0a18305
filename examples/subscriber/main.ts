import { SQSClient } from "@aws-sdk/client-sqs";
import { ticketConsumer } from "./consumer.ts";
import { ticketFolder } from "./ticket-store.ts";

const { QUEUE_URL: queueUrl, TICKETS: folder = "tickets" } = process.env;
if (!queueUrl) throw new Error("QUEUE_URL is not set: the queue that subscribes to the outcome topic");

// The AWS SDK reads region, credentials and endpoint from the environment.
const consumer = ticketConsumer({
  sqs: new SQSClient({}),
  queueUrl,
  store: ticketFolder(folder),
  log: console.log,
});
consumer.start();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => consumer.stop({ abort: true }));
