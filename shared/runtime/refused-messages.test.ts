import type { SQSEvent } from "aws-lambda";
import { expect, onTestFinished, test } from "vitest";
import { aRecord } from "../../test/support/messages/sqs-record.ts";
import { lambdaContext } from "../adapters/lambda/lambda-event.ts";
import { HubError } from "../ports/hub.ts";
import { refusedMessages } from "./refused-messages.ts";

const context = lambdaContext("work", "arn:aws:sqs:eu-central-1:000000000000:work", 0);
const batch = (...ids: readonly string[]): SQSEvent => ({ Records: ids.map((id) => aRecord(id, "{}")) });

/** Messages of a hub that refuses some; each pause ends when the test says so. */
function aFunction(...refusedIds: readonly string[]) {
  const refuses = new Set(refusedIds);
  const shown: string[] = [];
  const handled: string[] = [];
  let wake = () => {};
  const refused = refusedMessages(
    {
      async changeVisibility(handle, seconds) {
        shown.push(`${handle} ${seconds}`);
      },
    },
    (signal) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        signal.addEventListener("abort", () => resolve());
      }),
  );
  onTestFinished(() => refused.stop());
  const handle = refused.handling(async ({ Records }) => {
    const ids = Records.map(({ messageId }) => messageId);
    handled.push(...ids);
    const failed = ids.filter((id) => refuses.has(id));
    if (failed.length > 0) refused.note(failed, new HubError("Forbidden", "list pools: may not"));
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  });
  return {
    refuses,
    shown,
    handled,
    refused,
    handle: (...ids: string[]) => handle(batch(...ids), context),
    wake: () => wake(),
  };
}

test("When the hub refuses messages, one at a time should be handled again, until it accepts one; then all are received", async () => {
  const { refuses, shown, handled, refused, handle, wake } = aFunction("a", "b");
  await handle("a", "b", "c");
  expect(refused.reason()).toBe("HubError: list pools: may not");
  for (const next of ["a", "b", "a"]) {
    wake();
    await expect.poll(() => handled.at(-1)).toBe(next);
    expect(shown).toEqual([]);
  }
  refuses.clear();
  wake();
  await expect.poll(() => shown.toSorted()).toEqual(["handle of a 0", "handle of b 0"]);
  expect(refused.reason()).toBeUndefined();
});

test("When the hub refuses none, nothing should be handled again", async () => {
  const { handled, refused, handle, wake } = aFunction();
  await handle("a");
  wake();
  expect(handled).toEqual(["a"]);
  expect(refused.reason()).toBeUndefined();
});

test("When it stops while the hub refuses, nothing should be handled any more", async () => {
  const { handled, refused, handle } = aFunction("a");
  await handle("a");
  await refused.stop();
  expect(handled).toEqual(["a"]);
});
