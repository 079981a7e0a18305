import { expect, test } from "vitest";
import { lambdaContext, lambdaEvent } from "./lambda-event.ts";

const queueArn = "arn:aws:sqs:eu-central-1:123456789012:mirror-configs";

test("When a message is converted, it should equal Lambda's own record", () => {
  const message = {
    MessageId: "059f36b4-87a3-44ab-83d2-661975830a7d",
    ReceiptHandle: "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
    Body: "hello",
    MD5OfBody: "5d41402abc4b2a76b9719d911017c592",
    MD5OfMessageAttributes: "00484c68f2e0c1c5b3a4a1d7ee0fd5f6",
    Attributes: {
      ApproximateReceiveCount: "2",
      SentTimestamp: "1545082649183",
      SenderId: "AIDAIENQZJOLO23YVJ4VO",
      ApproximateFirstReceiveTimestamp: "1545082649185",
    },
    MessageAttributes: {
      reason: { DataType: "String", StringValue: "none" },
      digest: { DataType: "Binary", BinaryValue: new Uint8Array([1, 2, 250]) },
    },
  };
  expect(lambdaEvent([message], queueArn)).toEqual({
    Records: [
      {
        messageId: "059f36b4-87a3-44ab-83d2-661975830a7d",
        receiptHandle: "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
        body: "hello",
        attributes: {
          ApproximateReceiveCount: "2",
          SentTimestamp: "1545082649183",
          SenderId: "AIDAIENQZJOLO23YVJ4VO",
          ApproximateFirstReceiveTimestamp: "1545082649185",
        },
        messageAttributes: {
          reason: { dataType: "String", stringValue: "none" },
          digest: { dataType: "Binary", binaryValue: "AQL6" },
        },
        md5OfBody: "5d41402abc4b2a76b9719d911017c592",
        md5OfMessageAttributes: "00484c68f2e0c1c5b3a4a1d7ee0fd5f6",
        eventSource: "aws:sqs",
        eventSourceARN: queueArn,
        awsRegion: "eu-central-1",
      },
    ],
  });
});

test("When a handler reads its remaining time, it should be what is left, never negative", () => {
  const left = lambdaContext("mirror-config", queueArn, Date.now() + 5_000).getRemainingTimeInMillis();
  expect(left).toBeGreaterThan(4_000);
  expect(left).toBeLessThanOrEqual(5_000);
  expect(lambdaContext("mirror-config", queueArn, Date.now() - 1).getRemainingTimeInMillis()).toBe(0);
});
