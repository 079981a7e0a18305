import { createInterface } from "node:readline";
import { startEmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";

/**
 * A process to kill: it runs the embedded queues on the folder in its first argument, reports its actions on standard
 * output, one JSON value a line, and sends messages until it is killed.
 */
const [dataDir = ""] = process.argv.slice(2);
const messaging = await startEmbeddedMessaging({
  dataDir,
  queues: ["work"],
  topic: "outcomes",
  // Longer than a busy machine takes from here to the restart that the test is about.
  visibilityTimeoutSeconds: 10,
});
const queue = messaging.queue("work");
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

await queue.send(Array.from({ length: 20 }, (_, index) => ({ body: `early ${index}` })));
print({ inFlight: await queue.receive({ waitSeconds: 5 }) });

// One batch for each line of input, reported only when the server has confirmed it.
for await (const line of createInterface({ input: process.stdin })) {
  const bodies = Array.from({ length: 10 }, (_, index) => `late ${line} ${index}`);
  await queue.send(bodies.map((body) => ({ body, attributes: { batch: line } })));
  print({ confirmed: bodies });
}
