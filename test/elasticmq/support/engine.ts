import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqsClient } from "#shared/adapters/sqs/sqs-queue.ts";
import type { QueueEngine } from "../../contract/queue.contract.ts";
import { startElasticmq } from "./elasticmq.ts";

/** Starts ElasticMQ and creates a client for it. */
export async function startEngine(): Promise<QueueEngine & Readonly<{ endpoint: string }>> {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-elasticmq-")));
  const { endpoint, end } = await startElasticmq({ folder });
  stack.defer(() => end("SIGKILL"));
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  const sqs = stack.adopt(sqsClient({ region: "elasticmq", endpoint, credentials }), (one) => one.destroy());
  const opened = stack.move();
  return { sqs, endpoint, stop: () => opened.disposeAsync() };
}
