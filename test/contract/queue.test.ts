import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { queueContract } from "./queue.contract.ts";

queueContract("the embedded server in memory", 1_048_576, () =>
  startEmbeddedMessaging({ queues: [], topic: "outcomes" }),
);

queueContract("the embedded server in a folder", 1_048_576, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hubrelay-queues-"));
  const messaging = await startEmbeddedMessaging({ dataDir, queues: [], topic: "outcomes" });
  return {
    sqs: messaging.sqs,
    stop: async () => {
      await messaging.stop();
      await rm(dataDir, { recursive: true });
    },
  };
});
