import { openHub } from "#shared/adapters/hub/open-hub.ts";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { fleetWatches } from "./fleet.ts";

/** Runs a forwarder in its own process, to measure memory: `KUBECONFIG ENDPOINT QUEUE_URL`. Reports its peak at its end. */
const [kubeConfig = "", endpoint = "", queueUrl = ""] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
const hub = await openHub({ HUBRELAY_HUB: `kubeconfig:${kubeConfig}` });
const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
const sqs = sqsClient({ region: "us-east-1", endpoint, credentials });
console.log(JSON.stringify({ event: "started", residentMiB: process.memoryUsage.rss() / 2 ** 20 }));
await forwardChanges({
  hub,
  allWatches: [fleetWatches],
  queue: () => sqsQueue(sqs, queueUrl),
  signal: stop.signal,
  log: (entry) => {
    if (entry.event === "synced" || entry.event === "not-forwarded") console.log(JSON.stringify(entry));
  },
});
hub.close();
sqs.destroy();
console.log(JSON.stringify({ event: "memory", peakMiB: process.resourceUsage().maxRSS / 1024 }));
