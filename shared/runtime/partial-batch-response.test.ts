import middy from "@middy/core";
import type { Context } from "aws-lambda";
import { expect, test } from "vitest";
import { aRecord } from "../../test/support/messages/sqs-record.ts";
import type { LogEntry } from "../ports/log.ts";
import { batchMetrics, partialBatchResponse } from "./handler.ts";

const batch = { Records: [aRecord("a", ""), aRecord("b", "")] };

test.for([{ ids: [] }, { ids: ["b"] }, { ids: ["a", "b"] }])(
  "When the handler returns $ids, only those should stay in the queue, and be counted",
  async ({ ids }) => {
    const entries: LogEntry[] = [];
    const handler = middy()
      .use(batchMetrics((entry) => entries.push(entry)))
      .use(partialBatchResponse())
      .handler(async () => ids);
    expect(await handler(batch, {} as Context)).toEqual({
      batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
    });
    expect(entries).toEqual([{ event: "handled", messages: 2, failed: ids.length }]);
  },
);

test("When the handler throws, the whole batch should fail, so that Lambda redelivers all of it", async () => {
  const handler = middy()
    .use(partialBatchResponse())
    .handler(async () => {
      throw new Error("a bug");
    });
  await expect(handler(batch, {} as Context)).rejects.toThrow("a bug");
});
