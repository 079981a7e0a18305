import { CreateTopicCommand, type SNSClient } from "@aws-sdk/client-sns";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { startFauxqs } from "fauxqs";
import type { OutcomeTopic } from "../../ports/outcome-topic.ts";
import type { Queue } from "../../ports/queue.ts";
import { signalOf } from "../aws/aws-client.ts";
import type { AwsConnection } from "../aws/aws-connection.ts";
import { abortable } from "../network/requests.ts";
import { snsClient, snsOutcomeTopic } from "../sns/sns-outcome-topic.ts";
import { ensureQueue, type RedriveOptions } from "../sqs/ensure-queue.ts";
import { sqsClient, sqsQueue } from "../sqs/sqs-queue.ts";
import { type Inject, keepReceiveCounts, onLoopback } from "./fauxqs-patches.ts";

type EmbeddedServer = Readonly<{
  address: string;
  /** Passes requests of this process to the server without a socket, which is twice as fast. */
  requestHandler: NodeHttpHandler;
  stop(): Promise<void>;
}>;

/** Returns an error with the name `AbortError`, which the SDK does not retry. */
function abortError({ reason }: AbortSignal): Error {
  const error = new Error("the request was aborted", { cause: reason });
  error.name = "AbortError";
  return error;
}

function bufferOf(body: unknown): Buffer {
  if (typeof body === "string") return Buffer.from(body);
  // A string method of the SDK's own body class would log a warning, so its bytes are used.
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return Buffer.alloc(0);
}

class DirectHandler extends NodeHttpHandler {
  readonly #inject: Inject;

  constructor(inject: Inject) {
    super();
    this.#inject = inject;
  }

  override async handle(...[request, options]: Parameters<NodeHttpHandler["handle"]>) {
    const signal = signalOf(options);
    if (signal.aborted) throw abortError(signal);
    const { method, path, headers, body } = request;
    const responded = this.#inject({ method, url: path, headers, body: bufferOf(body) });
    const {
      statusCode,
      headers: given,
      rawPayload,
    } = await abortable(responded, signal).catch((error) => {
      throw signal.aborted ? abortError(signal) : error;
    });
    const texts = Object.entries(given).map(([name, value]) => [name, String(value)]);
    return { response: { statusCode, headers: Object.fromEntries(texts), body: rawPayload } };
  }
}

async function startEmbeddedServer({
  dataDir,
  port,
}: Readonly<{ dataDir?: string | undefined; port: number }>): Promise<EmbeddedServer> {
  const options = { logger: false, port, ...(dataDir === undefined ? {} : { dataDir }) };
  const { server, inject } = await onLoopback(() => startFauxqs(options));
  if (dataDir !== undefined) keepReceiveCounts(dataDir);
  const { address } = server;
  return { address, requestHandler: new DirectHandler(inject), stop: () => server.stop() };
}

type EmbeddedMessagingOptions = Readonly<{
  /** The folder of queues and messages, for one process at a time. By default, they are only in memory. */
  dataDir?: string;
  /** By default, any free port. A fixed port keeps queue URLs valid after a restart. */
  port?: number;
  queues: readonly string[];
  topic: string;
  /** Returns the visibility timeout of a queue in seconds; absent if it is the same for all queues. */
  visibilityOf?: (queue: string) => number;
}> &
  Partial<RedriveOptions>;

/** SQS queues, each with a dead-letter queue, and an SNS topic. This process serves them to this machine only. */
export type EmbeddedMessaging = Readonly<{
  endpoint: string;
  sqs: SQSClient;
  sns: SNSClient;
  queue(name: string): Queue;
  deadLetters(name: string): Queue;
  topic: OutcomeTopic;
  topicArn: string;
  /** Stops the server. Running requests then fail, so stop the workers first. */
  stop(): Promise<void>;
}>;

/** The clients need credentials; the server accepts all credentials. */
const credentials = { accessKeyId: "embedded", secretAccessKey: "embedded" } as const;
const region = "us-east-1";

async function ensureTopic(client: SNSClient, name: string): Promise<string> {
  const { TopicArn } = await client.send(new CreateTopicCommand({ Name: name }));
  if (!TopicArn) throw new Error(`the embedded topic ${name} could not be created`);
  return TopicArn;
}

type QueuePair = Readonly<{ queue: Queue; deadLetters: Queue }>;

async function ensurePair(
  client: SQSClient,
  endpoint: string,
  name: string,
  redrive: RedriveOptions,
): Promise<readonly [string, QueuePair]> {
  const { url, deadLettersUrl } = await ensureQueue(client, name, redrive);
  // The server's queue URLs have a host name that does not resolve: only their path is correct.
  const at = (given: string) => new URL(new URL(given).pathname, endpoint).href;
  return [name, { queue: sqsQueue(client, at(url)), deadLetters: sqsQueue(client, at(deadLettersUrl)) }];
}

/**
 * Starts queues and a topic in this process. With `dataDir`, the messages of an earlier process, even of a killed one,
 * are available again; those in flight become visible after their visibility timeout.
 */
export async function startEmbeddedMessaging({
  dataDir,
  port = 0,
  queues,
  topic,
  maxReceiveCount = 10,
  visibilityTimeoutSeconds = 30,
  visibilityOf = () => visibilityTimeoutSeconds,
}: EmbeddedMessagingOptions): Promise<EmbeddedMessaging> {
  await using cleanup = new AsyncDisposableStack();
  const server = await startEmbeddedServer({ dataDir, port });
  const endpoint = server.address;
  const connection: AwsConnection = { region, endpoint, credentials, inProcess: server.requestHandler };
  const sqs = cleanup.adopt(sqsClient(connection), (client) => client.destroy());
  const sns = cleanup.adopt(snsClient(connection), (client) => client.destroy());
  // The server stops first: it completes the waiting long polls, which a destroyed client would report as failed.
  cleanup.defer(() => server.stop());
  const pairOf = (name: string) =>
    ensurePair(sqs, endpoint, name, { maxReceiveCount, visibilityTimeoutSeconds: visibilityOf(name) });
  const pairs = new Map(await Promise.all(queues.map(pairOf)));
  const topicArn = await ensureTopic(sns, topic);

  const pair = (name: string): QueuePair => {
    const found = pairs.get(name);
    if (found) return found;
    throw new Error(`there is no queue ${name}, only ${[...pairs.keys()].join(", ")}`);
  };
  const running = cleanup.move();
  return {
    endpoint,
    sqs,
    sns,
    queue: (name) => pair(name).queue,
    deadLetters: (name) => pair(name).deadLetters,
    topic: snsOutcomeTopic(sns, topicArn),
    topicArn,
    stop: () => running.disposeAsync(),
  };
}
