import type { SQSRecord } from "aws-lambda";

/** Returns a record of an SQS event as Lambda passes it to a function; `sentAt` in milliseconds since the epoch. */
export function aRecord(
  messageId: string,
  body: string,
  {
    receiveCount = 1,
    sentAt = 0,
    attributes = {},
  }: Readonly<{
    receiveCount?: number;
    sentAt?: number;
    attributes?: Readonly<Record<string, string>> | undefined;
  }> = {},
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
    messageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, stringValue]) => [name, { dataType: "String", stringValue }]),
    ),
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-central-1:000000000000:work",
    awsRegion: "eu-central-1",
  };
}
