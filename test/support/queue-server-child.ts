import { allWatches } from "#functions/watches.ts";
import { startEmbeddedMessaging } from "#shared/adapters/embedded/embedded-messaging.ts";

/** A queue server to be killed: the embedded one on the folder and port of its arguments. */
const [dataDir = "", port = "0"] = process.argv.slice(2);
const messaging = await startEmbeddedMessaging({
  dataDir,
  port: Number(port),
  queues: allWatches.map(({ queue }) => queue),
  topic: "outcomes",
  // What a killed worker had in hand comes back soon.
  visibilityTimeoutSeconds: 2,
});
console.log(JSON.stringify({ event: "started", topicArn: messaging.topicArn }));
