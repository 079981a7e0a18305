import { randomUUID } from "node:crypto";
import type { Message, MessageAttributeValue } from "@aws-sdk/client-sqs";
import type { Context, SQSEvent, SQSMessageAttribute, SQSRecord } from "aws-lambda";

function attributeOf({ DataType, StringValue, BinaryValue }: MessageAttributeValue): SQSMessageAttribute {
  return {
    dataType: DataType ?? "String",
    ...(StringValue === undefined ? {} : { stringValue: StringValue }),
    ...(BinaryValue === undefined ? {} : { binaryValue: Buffer.from(BinaryValue).toString("base64") }),
  };
}

function recordOf(message: Message, queueArn: string): SQSRecord {
  const { MessageId = "", ReceiptHandle = "", Body = "", Attributes = {}, MessageAttributes = {} } = message;
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: {
      ...Attributes,
      ApproximateReceiveCount: Attributes.ApproximateReceiveCount ?? "1",
      SentTimestamp: Attributes.SentTimestamp ?? "",
      SenderId: Attributes.SenderId ?? "",
      ApproximateFirstReceiveTimestamp: Attributes.ApproximateFirstReceiveTimestamp ?? "",
    },
    messageAttributes: Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, value]) => [name, attributeOf(value)]),
    ),
    md5OfBody: message.MD5OfBody ?? "",
    ...(message.MD5OfMessageAttributes ? { md5OfMessageAttributes: message.MD5OfMessageAttributes } : {}),
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(":")[3] ?? "",
  };
}

/** Returns the event in which Lambda's event source mapping passes these messages to a handler. */
export function lambdaEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map((message) => recordOf(message, queueArn)) };
}

/** Returns a Lambda context for use outside Lambda. `deadline` is in milliseconds since the epoch. */
export function lambdaContext(functionName: string, queueArn: string, deadline: number): Context {
  return {
    functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: queueArn,
    memoryLimitInMB: "0",
    awsRequestId: randomUUID(),
    logGroupName: "",
    logStreamName: "",
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}
