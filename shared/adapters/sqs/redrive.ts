import {
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { QueueError } from "../../ports/queue.ts";
import { awsErrorName } from "../aws/aws-connection.ts";
import { queueNameOf } from "../settings/queue-urls.ts";
import { sqsError } from "./message-batches.ts";

/** The server's report about moving dead letters. `status` is `RUNNING` until the server has finished. */
export type Redrive = Readonly<{ status: string; moved: number; failure?: string }>;

const running = "RUNNING";
export const isRunning = ({ status }: Redrive): boolean => status === running;

/**
 * Starts to move all messages of a dead-letter queue to a queue, unless a move is already running. Returns a function
 * that reads the server's report. Throws `QueueError`, with code `Unsupported` if the server cannot move messages.
 */
export async function startRedrive(
  client: SQSClient,
  deadLettersUrl: string,
  url: string,
): Promise<() => Promise<Redrive>> {
  const ask = async <Result>(action: string, request: () => Promise<Result>): Promise<Result> => {
    try {
      return await request();
    } catch (error) {
      if (awsErrorName(error) !== "InvalidAction")
        throw sqsError(deadLettersUrl, action, "QueueUnavailable", error);
      throw new QueueError(
        "Unsupported",
        `queue ${queueNameOf(deadLettersUrl)}: its server cannot move messages (${action}). Fix: wait for the resync tick, or run "hubrelay resync"; both name every object again`,
        { cause: error },
      );
    }
  };
  const arnOf = async (queueUrl: string) => {
    const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ["QueueArn"] });
    return (await ask("GetQueueAttributes", () => client.send(command))).Attributes?.QueueArn;
  };
  const [SourceArn, DestinationArn] = await Promise.all([arnOf(deadLettersUrl), arnOf(url)]);
  const latest = async (): Promise<Redrive | undefined> => {
    const command = new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 });
    const { Results: [task] = [] } = await ask("ListMessageMoveTasks", () => client.send(command));
    return (
      task && {
        status: task.Status ?? "",
        moved: task.ApproximateNumberOfMessagesMoved ?? 0,
        ...(task.FailureReason ? { failure: task.FailureReason } : {}),
      }
    );
  };
  // Without a DestinationArn, the server would not move messages that hubrelay itself sent to the dead-letter queue.
  const start = new StartMessageMoveTaskCommand({ SourceArn, DestinationArn });
  const before = await latest();
  if (!before || !isRunning(before)) await ask("StartMessageMoveTask", () => client.send(start));
  // At first the server may not list the move that has just started.
  return async () => (await latest()) ?? { status: running, moved: 0 };
}
