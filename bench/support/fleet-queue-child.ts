import { startEmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";

/** Runs a queue server in its own process. The arguments are the names of the queues. */
const messaging = await startEmbeddedMessaging({
  queues: process.argv.slice(2),
  topic: "outcomes",
  visibilityTimeoutSeconds: 180,
});
console.log(JSON.stringify({ event: "started", endpoint: messaging.endpoint }));
