import { describe, expect, test } from "vitest";
import { deadLetterAttributes, deadLetterReason } from "#shared/domain/events/dead-letter.ts";
import { ours } from "../support/messages/hub-events.ts";
import { aDeployment } from "../support/processes/deployment.ts";
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
  const idOf = async (wanted: string): Promise<string> => {
    const messages = await deadLetters.receive({ waitSeconds: 5, hiddenSeconds: 0 });
    return messages.find((message) => deadLetterReason(message.attributes) === wanted)?.id ?? "";
  };
  return { dlq, idOf, deadLetters, queue: messaging.queue("mirror-configs") };
}

describe("hubrelay dlq", () => {
  test("When there are dead letters, list should count them by their reason, and leave them in the queue", async () => {
    const { dlq, deadLetters } = await someDeadLetters();
    const { stdout, exitCode } = await dlq("list");
    const [head, ...rows] = stdout.trimEnd().split("\n");
    expect({ exitCode, head }).toEqual({ exitCode: 0, head: expect.stringMatching(/^QUEUE +COUNT +OLDEST/) });
    expect(rows.filter((row) => row.startsWith("mirror-configs"))).toEqual([
      expect.stringMatching(/^mirror-configs {2}2 +\d+s +[-0-9a-f]{36} {2}The body is not JSON/),
      expect.stringMatching(/^mirror-configs {2}1 +\d+s +[-0-9a-f]{36} {2}Every attempt failed/),
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

  test("When there are no dead letters, list should report that", async () => {
    const { dlq, deadLetters } = await someDeadLetters();
    await deadLetters.delete((await deadLetters.receive({ waitSeconds: 5 })).map((one) => one.receiptHandle));
    expect(await dlq("list")).toEqual({
      stdout: queueNames.map((name) => `${name} has no dead letters.\n`).join(""),
      stderr: "",
      exitCode: 0,
    });
  });

  test("When one is shown, it should include everything that is known, and no credential", async () => {
    const { dlq, idOf } = await someDeadLetters();
    const { stdout, exitCode } = await dlq("show", await idOf(failed));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^About: +ImageDigestMirrorSet\/acme$/m);
    expect(stdout).toContain(JSON.stringify(ours));
    const poison = await dlq("show", await idOf(reason), "-o", "json");
    expect(JSON.parse(poison.stdout)).toMatchObject({
      queue: "mirror-configs",
      reason,
      function: "mirror-config",
      messageId: "id-before",
      unreadable: expect.stringContaining("not JSON"),
    });
    expect(poison.stdout).not.toContain("hunter2");
    expect((await dlq("show", await idOf(reason), "-o", "yaml")).stdout).toContain("reason:");
  });

  test("When a dead letter contains terminal control characters, it should be escaped", async () => {
    const { dlq, idOf, deadLetters } = await someDeadLetters();
    const forged = "The\u009b2J screen";
    await deadLetters.send([
      { body: "line 1\n\u009b31mred\r", attributes: { [deadLetterAttributes.reason]: forged } },
    ]);
    const { stdout } = await dlq("show", await idOf(forged));
    expect(stdout).toContain("\nline 1\n\\u009b31mred\\u000d\n");
    expect(stdout).toMatch(/^Reason: +The\\u009b2J screen$/m);
    for (const shown of [stdout, (await dlq("list")).stdout, (await dlq("replay", "--all")).stdout])
      expect(shown.replace(/\n/g, "")).not.toMatch(/\p{Cc}/u);
  });

  test("When one is shown that does not exist, it should report where it looked and exit with 2", async () => {
    const { dlq } = await someDeadLetters();
    const { stderr, exitCode } = await dlq("show", "nonsense");
    expect({ stderr, exitCode }).toEqual({
      stderr: expect.stringMatching(/no such dead letter in mirror-configs-dead-letters.*: nonsense\./),
      exitCode: 2,
    });
  });

  test("When one is replayed, it should be in its queue, and the others unchanged", async () => {
    const { dlq, idOf, queue, deadLetters } = await someDeadLetters();
    const id = await idOf(failed);
    const dry = await dlq("replay", "--id", id, "--dry-run");
    expect(dry.stdout).toContain("1 message would be replayed.");
    expect(await queue.depth()).toMatchObject({ visible: 0 });
    const { stdout, exitCode } = await dlq("replay", "--id", id);
    expect({ stdout, exitCode }).toEqual({
      stdout: expect.stringMatching(/ImageDigestMirrorSet\/acme.*\n1 message replayed\.\n$/),
      exitCode: 0,
    });
    expect((await queue.receive({ waitSeconds: 5 })).map(({ body }) => body)).toEqual([JSON.stringify(ours)]);
    expect(await deadLetters.depth()).toEqual({ visible: 2, inFlight: 0, delayed: 0 });
    const again = await dlq("replay", "--id", id);
    expect({ stderr: again.stderr, exitCode: again.exitCode }).toEqual({
      stderr: `hubrelay: no such dead letter: ${id}\n`,
      exitCode: 2,
    });
  });

  test("When all are replayed, the dead-letter queue should be empty", async () => {
    const { dlq, queue, deadLetters } = await someDeadLetters();
    const { stdout } = await dlq("replay", "--all", "--queue", "mirror-configs", "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject({ dryRun: false, replayed: [{}, {}, {}] });
    expect(await deadLetters.depth()).toMatchObject({ visible: 0, inFlight: 0 });
    expect(await queue.depth()).toMatchObject({ visible: 3 });
  });

  test.for([
    { args: ["replay"], reported: "either --id (repeatable) or --all is required" },
    { args: ["replay", "--all", "--id", "x"], reported: "either --id (repeatable) or --all is required" },
    { args: ["list", "--queue", "other"], reported: "no such queue: other; queues of HUBRELAY_QUEUE_URLS: " },
    { args: ["list", "--limit", "0"], reported: "must be a whole number from 1" },
  ])(
    "When it is called with $args, it should say what is wrong and exit with 2",
    async ({ args, reported }) => {
      const { dlq } = await someDeadLetters();
      expect(await dlq(...args)).toMatchObject({ stderr: expect.stringContaining(reported), exitCode: 2 });
    },
  );
});
