import { controllers } from "#functions/controllers.ts";
import { startEmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";

/** A queue server to kill: the embedded one on the folder and port of its arguments. */
const [dataDir = "", port = "0"] = process.argv.slice(2);
const messaging = await startEmbeddedMessaging({
  dataDir,
  port: Number(port),
  queues: controllers.map(({ queue }) => queue),
  topic: "outcomes",
  // A killed worker's messages return soon.
  visibilityTimeoutSeconds: 2,
});
console.log(JSON.stringify({ event: "started", topicArn: messaging.topicArn }));
