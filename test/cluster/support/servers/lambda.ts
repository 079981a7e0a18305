import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import { lambdaEvent } from "#shared/adapters/lambda/lambda-event.ts";
import { paths } from "../../../../infra/paths.ts";
import { type FunctionProcess, startFunction, unzip } from "../../../lambda/function-process.ts";
import type { AwsAccount } from "./aws.ts";

const functionList = z.object({
  Functions: z.array(
    z.object({
      FunctionName: z.string(),
      Environment: z.object({ Variables: z.record(z.string(), z.string()) }),
    }),
  ),
});
const mappingList = z.object({
  EventSourceMappings: z.array(
    z.object({
      UUID: z.string(),
      EventSourceArn: z.string(),
      FunctionArn: z.string(),
      BatchSize: z.number(),
    }),
  ),
});
const batchResponse = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });

/** Lambda for a stack in an account that runs no functions: it calls the packaged handlers. */
export type Lambda = Readonly<{
  /** Invokes a function with an event, and returns its response. */
  invoke(name: string, event: unknown): Promise<unknown>;
  /** Passes what waits in each queue to the function that the stack maps to it, until all are empty. */
  drainQueues(): Promise<void>;
  /** Returns what a function has logged. */
  logOf(name: string): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}>;

/**
 * Polls the queues of a stack and calls the packaged handlers with the environment that the stack gives them. In it only
 * the address of SQS differs: moto's CloudFormation writes AWS's own into the queues' URLs.
 */
export async function startLambda(account: AwsAccount, stack: string, folder: string): Promise<Lambda> {
  await using cleanup = new AsyncDisposableStack();
  const here = (text: string) => text.replaceAll(/https:\/\/sqs\.[\w-]+\.amazonaws\.com/g, account.endpoint);
  const { Functions } = functionList.parse(await account.aws("lambda", "list-functions"));
  const { EventSourceMappings } = mappingList.parse(
    await account.aws("lambda", "list-event-source-mappings"),
  );
  // moto would start the function in Docker with the first message.
  for (const { UUID } of EventSourceMappings)
    await account.aws("lambda", "update-event-source-mapping", "--uuid", UUID, "--no-enabled");
  const { AWS_REGION: region = "" } = account.environment;
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  const client = new SQSClient({ endpoint: account.endpoint, region, credentials });
  const sqs = cleanup.adopt(client, () => client.destroy());
  const processes = new Map<string, Promise<FunctionProcess>>();
  cleanup.defer(async () => {
    for (const process of processes.values()) await (await process)[Symbol.asyncDispose]();
  });
  const program = join(paths.root, "test/lambda/plain-runtime.ts");

  async function start(name: string): Promise<FunctionProcess> {
    const found = Functions.find(({ FunctionName }) => FunctionName === `${stack}-${name}`);
    if (!found) throw new Error(`the stack has no function ${name}`);
    const taskRoot = join(folder, name);
    await mkdir(taskRoot);
    await unzip(join(paths.lambda, `${name}.zip`), taskRoot);
    const variables = Object.entries(found.Environment.Variables).map(([key, value]) => [key, here(value)]);
    return startFunction({
      runtime: { name: "the plain loop", program },
      taskRoot,
      environment: { ...account.environment, ...Object.fromEntries(variables) },
    });
  }

  async function invoke(name: string, event: unknown): Promise<unknown> {
    const process = processes.get(name) ?? start(name);
    processes.set(name, process);
    const result = await (await process).invoke(event);
    if (result.kind !== "response")
      throw new Error(`${name}: ${JSON.stringify(result)}\n${(await process).output()}`);
    return result.body;
  }

  /** Passes one batch to its function. Returns the number of messages. */
  async function handleBatch({
    EventSourceArn,
    FunctionArn,
    BatchSize,
  }: (typeof EventSourceMappings)[number]) {
    const [, , , , number = "", queue = ""] = EventSourceArn.split(":");
    const QueueUrl = `${account.endpoint}/${number}/${queue}`;
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: Math.min(BatchSize, 10),
        WaitTimeSeconds: 0,
      }),
    );
    if (Messages.length === 0) return 0;
    const name = FunctionArn.slice(FunctionArn.indexOf(`:${stack}-`) + stack.length + 2);
    const response = await invoke(name, lambdaEvent(Messages, EventSourceArn));
    const failed = batchResponse
      .parse(response)
      .batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    // They would be received again after minutes.
    if (failed.length > 0) throw new Error(`${name} failed: ${await logOf(name)}`);
    const Entries = Messages.map(({ MessageId: Id = "", ReceiptHandle = "" }) => ({ Id, ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    return Messages.length;
  }

  const logOf = async (name: string) => (await processes.get(name))?.output() ?? "It was not called.";

  const ready = cleanup.move();
  return {
    invoke,
    logOf,
    async drainQueues() {
      for (let handled = 1; handled > 0; ) {
        handled = 0;
        for (const mapping of EventSourceMappings) handled += await handleBatch(mapping);
      }
    },
    [Symbol.asyncDispose]: () => ready.disposeAsync(),
  };
}
