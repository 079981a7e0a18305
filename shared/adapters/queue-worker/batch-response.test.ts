import { expect, test } from "vitest";
import { readBatchResponse } from "./batch-response.ts";

const ids = ["m-1", "m-2", "m-3"];
const failed = (...identifiers: unknown[]) => ({
  batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })),
});

const understood = [
  { response: undefined, retried: [] },
  { response: null, retried: [] },
  { response: {}, retried: [] },
  { response: { batchItemFailures: null }, retried: [] },
  { response: { batchItemFailures: [] }, retried: [] },
  { response: { statusCode: 200 }, retried: [] },
  { response: failed("m-2"), retried: ["m-2"] },
  { response: failed("m-2", "m-1", "m-2"), retried: ["m-2", "m-1"] },
  { response: failed(...ids), retried: ids },
];

test.for(understood)(
  "When the response is $response, only $retried should be retried",
  ({ response, retried }) => {
    expect(readBatchResponse(response, ids)).toEqual({ complete: true, failed: new Set(retried) });
  },
);

const noMessage = (index: number) =>
  `batchItemFailures[${index}].itemIdentifier is not a message of the batch`;
const malformed = [
  { response: "done", problem: "it is a string" },
  { response: "", problem: "it is a string" },
  { response: 0, problem: "it is a number" },
  { response: ["m-1"], problem: "it is a list" },
  { response: { batchItemFailures: "m-1" }, problem: "batchItemFailures is not a list" },
  { response: { batchItemFailures: {} }, problem: "batchItemFailures is not a list" },
  { response: { batchItemFailures: ["m-1"] }, problem: noMessage(0) },
  { response: { batchItemFailures: [null] }, problem: noMessage(0) },
  { response: { batchItemFailures: [{ messageId: "m-1" }] }, problem: noMessage(0) },
  { response: failed("m-1", ""), problem: noMessage(1) },
  { response: failed("m-1", null), problem: noMessage(1) },
  { response: failed("m-1", "m-4"), problem: noMessage(1) },
];

test.for(malformed)(
  "When the response is $response, all should be retried and it should say why",
  ({ response, problem }) => {
    const reason = `the handler's response is malformed: ${problem}`;
    expect(readBatchResponse(response, ids)).toEqual({ complete: false, reason });
  },
);
