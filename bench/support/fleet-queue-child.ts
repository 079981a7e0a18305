import { startEmbeddedMessaging } from "#shared/adapters/embedded/embedded-messaging.ts";

/** A queue server in a process of its own, as in a deployment; the queues' names are its arguments. */
const messaging = await startEmbeddedMessaging({
  queues: process.argv.slice(2),
  topic: "outcomes",
  visibilityTimeoutSeconds: 180,
});
console.log(JSON.stringify({ event: "started", endpoint: messaging.endpoint }));
