import { expect, test } from "vitest";
import { queueUrls } from "./queue-urls.ts";

const url = "https://sqs.eu-central-1.amazonaws.com/123456789012/prod-mirror-configs";

test("When the queue is known, it should return its URL, whatever its name on the server is", () => {
  expect(
    queueUrls({ HUBRELAY_QUEUE_URLS: JSON.stringify({ "mirror-configs": url }) }).of("mirror-configs"),
  ).toBe(url);
});

const wrong = [
  { what: "nothing", value: "", message: "HUBRELAY_QUEUE_URLS is not set" },
  { what: "no JSON", value: "mirror-configs=sekret", message: "HUBRELAY_QUEUE_URLS is not a JSON object" },
  { what: "a list", value: JSON.stringify([url]), message: "HUBRELAY_QUEUE_URLS is not a JSON object" },
  { what: "another queue", value: JSON.stringify({ other: url }), message: "has no queue mirror-configs" },
  {
    what: "a name for a URL",
    value: '{"mirror-configs": "prod"}',
    message: "has no URL for queue mirror-configs",
  },
  {
    what: "a file for a URL",
    value: '{"mirror-configs": "file:///x"}',
    message: "has no URL for queue mirror-configs",
  },
];
test.for(wrong)(
  "When the variable holds $what, it should say so without quoting it",
  ({ value, message }) => {
    const read = () => queueUrls({ HUBRELAY_QUEUE_URLS: value }).of("mirror-configs");
    expect(read).toThrow(message);
    expect(read).not.toThrow("sekret");
  },
);

test("When several queues are required, it should name all without a URL in one error", () => {
  const urls = queueUrls({ HUBRELAY_QUEUE_URLS: JSON.stringify({ a: url, b: "x", c: "y" }) });
  urls.require(["a"]);
  expect(() => urls.require(["a", "d", "b", "e"])).toThrow("has no queues d, e; it should be like");
  expect(() => urls.require(["a", "b", "c"])).toThrow("has no URL for queues b, c; it should be like");
});

test("When a queue has the name of a method, it should be as unknown as any other", () => {
  expect(() => queueUrls({ HUBRELAY_QUEUE_URLS: "{}" }).of("constructor")).toThrow(
    "has no queue constructor",
  );
});
