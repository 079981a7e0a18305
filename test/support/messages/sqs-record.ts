import type { SQSRecord } from "aws-lambda";

/** Returns a record of an SQS event as Lambda passes it to a function; `sentAt` in milliseconds since the epoch. */
export function aRecord(
  messageId: string,
  body: string,
  { receiveCount = 1, sentAt = 0 }: Readonly<{ receiveCount?: number; sentAt?: number }> = {},
): SQSRecord {
  return {
    messageId,
    receiptHandle: `handle of ${messageId}`,
    body,
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      SentTimestamp: String(sentAt),
      SenderId: "test",
      ApproximateFirstReceiveTimestamp: String(sentAt),
    },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-central-1:000000000000:work",
    awsRegion: "eu-central-1",
  };
}
