import { describe, expect, test } from "vitest";
import { deadLetterAttributes } from "#shared/domain/plan/dead-letter.ts";
import { ours } from "../support/messages/hub-events.ts";
import { aDeployment } from "../support/processes/deployment.ts";
import { scriptedServer } from "../support/servers/scripted-server.ts";
import { hubrelay } from "./cli-in-process.ts";

const reason = "The body is not JSON: 8 characters that start with 'p'.";
const failed = "Every attempt failed or timed out; see the function's log for the reason.";

type Listed = Readonly<{ queue: string; messages: { id: string; reason: string }[] }>;

/** What `dlq list -o json` returns for the queue of the dead letters in these tests. */
function listed(stdout: string): Listed {
  const { queues }: { queues: Listed[] } = JSON.parse(stdout);
  const found = queues.find(({ queue }) => queue === "mirror-configs");
  if (!found) throw new Error("mirror-configs is not listed");
  return found;
}

/** Enough to distinguish them: a command waits a second at each that has no more messages. */
const queueNames = ["mirror-configs", "precache-clusters"];

/** Queues with one message that failed too often and two that cannot be read; runs `hubrelay dlq` on them. */
async function someDeadLetters() {
  const { messaging, environment } = await aDeployment([], { queues: queueNames });
  const deadLetters = messaging.deadLetters("mirror-configs");
  const attributes = {
    [deadLetterAttributes.reason]: reason,
    [deadLetterAttributes.function]: "mirror-config",
    [deadLetterAttributes.messageId]: "id-before",
  };
  await deadLetters.send([
    { body: JSON.stringify(ours) },
    { body: "password=hunter2-hunter2", attributes },
    { body: "poison", attributes },
  ]);
  const dlq = (...args: readonly string[]) => hubrelay(["dlq", ...args], { variables: environment });
  return { dlq, deadLetters, queue: messaging.queue("mirror-configs") };
}

describe("hubrelay dlq", () => {
  test("When there are dead letters, list should count them by their reason, and leave them in the queue", async () => {
    const { dlq, deadLetters } = await someDeadLetters();
    const { stdout, exitCode } = await dlq("list");
    const [head, ...rows] = stdout.trimEnd().split("\n");
    expect({ exitCode, head }).toEqual({ exitCode: 0, head: expect.stringMatching(/^QUEUE +COUNT +OLDEST/) });
    expect(rows.filter((row) => row.startsWith("mirror-configs"))).toEqual([
      expect.stringMatching(/^mirror-configs {2}2 +\d+s +[-0-9a-f]{36} {2}The body is not JSON/),
      expect.stringMatching(/^mirror-configs {2}1 +\d+s +ImageDigestMirrorSet\/acme +Every attempt failed/),
    ]);
    expect(await deadLetters.depth()).toEqual({ visible: 3, inFlight: 0, delayed: 0 });
  });

  test("When JSON is requested, list should include each message, but no body", async () => {
    const { dlq } = await someDeadLetters();
    const { stdout } = await dlq("list", "-o", "json");
    const queue = listed(stdout);
    expect(queue).toMatchObject({ deadLetterQueue: "mirror-configs-dead-letters", total: 3 });
    expect(queue.messages).toContainEqual({
      id: expect.any(String),
      reason: failed,
      subject: "ImageDigestMirrorSet/acme",
      sentAt: expect.stringMatching(/Z$/),
    });
    expect(stdout).not.toContain("hunter2");
  });

  test("When the server cannot move messages, replay should say what to do instead, and exit with 2", async () => {
    const { dlq, deadLetters } = await someDeadLetters();
    expect(await dlq("replay", "--queue", "mirror-configs")).toEqual({
      stdout: "",
      stderr: expect.stringMatching(/^hubrelay: queue mirror-configs-dead-letters: .*"hubrelay resync"/),
      exitCode: 2,
    });
    expect(await deadLetters.depth()).toMatchObject({ visible: 3 });
  });

  test.for([
    { end: { Status: "COMPLETED" }, message: "mirror-configs: 3 dead letters moved.", exitCode: 0 },
    {
      end: { Status: "FAILED", FailureReason: "AWS.SimpleQueueService.NonExistentQueue" },
      message:
        "mirror-configs: 3 dead letters moved, then the move ended as FAILED: AWS.SimpleQueueService.NonExistentQueue.",
      exitCode: 1,
    },
  ])(
    "When a move runs already, replay should wait for its end, here $end",
    async ({ end, message, exitCode }) => {
      const RedrivePolicy = JSON.stringify({
        deadLetterTargetArn: "arn:aws:sqs:any:1:dead",
        maxReceiveCount: 10,
      });
      const settings = { Attributes: { RedrivePolicy, QueueArn: "arn:aws:sqs:any:1:work" } };
      const task = (state: object) => ({ Results: [{ ApproximateNumberOfMessagesMoved: 3, ...state }] });
      const server = await scriptedServer(
        ...[settings, settings, settings, task({ Status: "RUNNING" }), task(end)].map((body) => ({
          headers: { "content-type": "application/x-amz-json-1.0" },
          body: JSON.stringify(body),
        })),
      );
      const variables = {
        HUBRELAY_QUEUE_URLS: JSON.stringify({ "mirror-configs": `${server.endpoint}/1/work` }),
        AWS_REGION: "any",
        AWS_ENDPOINT_URL: server.endpoint,
        AWS_ACCESS_KEY_ID: "any",
        AWS_SECRET_ACCESS_KEY: "any",
      };
      const result = await hubrelay(["dlq", "replay", "--all"], { variables });
      expect(result).toEqual({ stdout: `${message}\n`, stderr: "", exitCode });
      expect(server.requests.filter((request) => request.includes("DestinationArn"))).toEqual([]);
    },
  );
});
