import { expect, test } from "vitest";
import { readBatchResponse } from "./batch-response.ts";

const ids = ["m-1", "m-2", "m-3"];
const failed = (...identifiers: unknown[]) => ({
  batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })),
});

const understood = [
  { answer: undefined, comesAgain: [] },
  { answer: null, comesAgain: [] },
  { answer: {}, comesAgain: [] },
  { answer: { batchItemFailures: null }, comesAgain: [] },
  { answer: { batchItemFailures: [] }, comesAgain: [] },
  { answer: { statusCode: 200 }, comesAgain: [] },
  { answer: failed("m-2"), comesAgain: ["m-2"] },
  { answer: failed("m-2", "m-1", "m-2"), comesAgain: ["m-2", "m-1"] },
  { answer: failed(...ids), comesAgain: ids },
];

test.for(understood)(
  "When the answer is $answer, only $comesAgain should come again",
  ({ answer, comesAgain }) => {
    expect(readBatchResponse(answer, ids)).toEqual({ complete: true, failed: new Set(comesAgain) });
  },
);

const noMessage = (index: number) =>
  `batchItemFailures[${index}].itemIdentifier is not a message of the batch`;
const malformed = [
  { answer: "done", problem: "it is a string" },
  { answer: "", problem: "it is a string" },
  { answer: 0, problem: "it is a number" },
  { answer: ["m-1"], problem: "it is a list" },
  { answer: { batchItemFailures: "m-1" }, problem: "batchItemFailures is not a list" },
  { answer: { batchItemFailures: {} }, problem: "batchItemFailures is not a list" },
  { answer: { batchItemFailures: ["m-1"] }, problem: noMessage(0) },
  { answer: { batchItemFailures: [null] }, problem: noMessage(0) },
  { answer: { batchItemFailures: [{ messageId: "m-1" }] }, problem: noMessage(0) },
  { answer: failed("m-1", ""), problem: noMessage(1) },
  { answer: failed("m-1", null), problem: noMessage(1) },
  { answer: failed("m-1", "m-4"), problem: noMessage(1) },
];

test.for(malformed)(
  "When the answer is $answer, all should come again and it should say why",
  ({ answer, problem }) => {
    const reason = `the handler's response is malformed: ${problem}`;
    expect(readBatchResponse(answer, ids)).toEqual({ complete: false, reason });
  },
);
