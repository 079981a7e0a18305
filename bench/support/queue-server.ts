import { join } from "node:path";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import type { FunctionQueues } from "../../cli/program/function-workers.ts";
import { startLogging } from "../../test/support/processes/process-lines.ts";

/** Starts queues on a server in its own process, so that the measured cost of functions does not include the server. */
export async function startQueueServer(
  queues: readonly string[],
): Promise<FunctionQueues & Readonly<{ stop(): Promise<void> }>> {
  const server = startLogging(join(import.meta.dirname, "fleet-queue-child.ts"), queues, { PATH: "" });
  const { endpoint } = await server.logged(({ event }) => event === "started");
  const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
  const sqs = sqsClient({ region: "us-east-1", endpoint: String(endpoint), credentials });
  const at = (name: string) => sqsQueue(sqs, `${endpoint}/000000000000/${name}`);
  return {
    sqs,
    queue: at,
    deadLetters: (name) => at(`${name}-dead-letters`),
    async stop() {
      sqs.destroy();
      await server.end("SIGKILL");
    },
  };
}
