import { expect, onTestFinished, test } from "vitest";
import { scriptedServer } from "../../../test/support/servers/scripted-server.ts";
import { reportedQueue } from "./queue-settings.ts";
import { sqsClient } from "./sqs-queue.ts";

const headers = { "content-type": "application/x-amz-json-1.0" };
const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: "arn:aws:sqs:us-east-1:0:work-dead-letters" });

test("When dead letters are counted each minute, their queue should be looked up once, and again after a failure", async () => {
  const { endpoint, requests } = await scriptedServer(
    { status: 400, headers, body: JSON.stringify({ __type: "AccessDenied" }) },
    { headers, body: JSON.stringify({ Attributes: { RedrivePolicy } }) },
  );
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const sqs = sqsClient({ region: "us-east-1", endpoint, credentials });
  onTestFinished(() => sqs.destroy());
  const { deadLetters } = reportedQueue(sqs, "work", `${endpoint}/000000000000/work`);
  await expect(deadLetters()).rejects.toThrow("AccessDenied");
  for (let minute = 0; minute < 3; minute++) expect((await deadLetters()).name).toBe("work-dead-letters");
  expect(requests).toHaveLength(2);
});
