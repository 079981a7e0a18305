import { startEmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";

/** The server of queues that runs in this process. The arguments of the process are the names of the queues. */
const messaging = await startEmbeddedMessaging({
  queues: process.argv.slice(2),
  topic: "outcomes",
  visibilityTimeoutSeconds: 180,
});
console.log(JSON.stringify({ event: "started", endpoint: messaging.endpoint }));
