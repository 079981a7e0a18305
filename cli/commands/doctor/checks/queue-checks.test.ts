import { expect, test } from "vitest";
import type { QueueSettings } from "#shared/adapters/sqs/queue-settings.ts";
import { queueCheck } from "./queue-checks.ts";

const day = 86_400;
const queue: QueueSettings = {
  name: "prod-mirror-configs",
  visibilityTimeoutSeconds: 190,
  retentionSeconds: 4 * day,
  redrive: { deadLetters: "prod-mirror-configs-dead-letters", maxReceiveCount: 10 },
  visible: 3,
};
const deadLetters: QueueSettings = {
  name: "prod-mirror-configs-dead-letters",
  visibilityTimeoutSeconds: 30,
  retentionSeconds: 14 * day,
  redrive: undefined,
  visible: 0,
};

const cases = [
  {
    title: "is correct",
    inspected: { queue, deadLetters },
    state: "ok",
    says: "dead letters after 10 receives",
  },
  {
    title: "has no redrive policy",
    inspected: { queue: { ...queue, redrive: undefined }, deadLetters: undefined },
    state: "problem",
    says: "no dead-letter queue",
  },
  {
    title: "gives up too early",
    inspected: { queue: { ...queue, redrive: { deadLetters: "x", maxReceiveCount: 4 } }, deadLetters },
    state: "note",
    says: "gives up after 4 receives",
  },
  {
    title: "shows messages again too early",
    inspected: { queue: { ...queue, visibilityTimeoutSeconds: 179 }, deadLetters },
    state: "note",
    says: "again after 179 s",
  },
  {
    title: "keeps messages longer than its dead-letter queue",
    inspected: { queue, deadLetters: { ...deadLetters, retentionSeconds: 4 * day } },
    state: "note",
    says: "keeps messages no longer",
  },
  {
    title: "is on a server that keeps every message",
    inspected: {
      queue: { ...queue, retentionSeconds: undefined },
      deadLetters: { ...deadLetters, retentionSeconds: undefined },
    },
    state: "ok",
    says: "dead letters after 10 receives",
  },
  {
    title: "has dead letters",
    inspected: { queue, deadLetters: { ...deadLetters, visible: 2 } },
    state: "note",
    says: "prod-mirror-configs-dead-letters has 2 dead letters",
  },
];

test.for(cases)("When a queue $title, it should report $state", ({ inspected, state, says }) => {
  const { remedy, ...check } = queueCheck("mirror-configs", 30, inspected);
  expect(check).toEqual({ name: "queue mirror-configs", state, found: expect.stringContaining(says) });
  expect(remedy === undefined).toBe(state === "ok");
});

test("When batches may take longer, the visibility timeout should be longer as well", () => {
  expect(queueCheck("hosted-clusters", 120, { queue, deadLetters })).toMatchObject({
    state: "note",
    remedy: "Set its visibility timeout to at least 720 s.",
  });
});
