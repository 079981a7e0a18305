import fc from "fast-check";
import { expect, test } from "vitest";
import { acme, eventBridge, knative, ours, sns } from "../../../test/support/messages/hub-events.ts";
import { anyCharacter } from "../../../test/support/outside-names/inherited-names.ts";
import { parseHubEvent } from "./hub-event.ts";

const noCloudEvent =
  "is not a CloudEvent (specversion is missing), not an SNS or EventBridge envelope and not a tick.";
const refused = [
  ["the body is empty", "", "The body is empty."],
  ["the body is text", "password=hunter2", 'The body is not JSON: 16 characters that start with "p".'],
  [
    "the body starts with a byte order mark",
    `\ufeff${JSON.stringify(ours)}`,
    `The body is not JSON: ${JSON.stringify(ours).length + 1} characters that start with "\\ufeff".`,
  ],
  ["the body is a list", [ours], "The body is a list, not an object."],
  ["the body is null", "null", "The body is null, not an object."],
  ["the body is an object of no known form", { hello: 1 }, `The body ${noCloudEvent}`],
  [
    "the body is longer than a message can be",
    "x".repeat(1_048_577),
    "The body has 1048577 characters; 1 MiB is the limit.",
  ],
  [
    "the body is the object itself",
    { apiVersion: "v1", kind: "Secret", metadata: { name: "x" }, data: { token: "c2VjcmV0" } },
    `The body ${noCloudEvent}`,
  ],
  ["the specversion is from before 1.0", { ...ours, specversion: "0.3" }, 'specversion is "0.3", not "1.0".'],
  ["the type is not a string", { ...ours, type: 7 }, "type is 7, not a string."],
  [
    "the type is another system's",
    { ...ours, type: "com.acme.order" },
    'type is "com.acme.order", not dev.knative.apiserver.(ref|resource).(add|update|delete).',
  ],
  ["the id is missing", { ...ours, id: undefined }, "id is missing, not an event's id."],
  ["the source is empty", { ...ours, source: "" }, 'source is "", not the name of a hub.'],
  [
    "the id would move a terminal's cursor",
    { ...ours, id: "a\u001b[2J" },
    'id is "a\\u001b[2J", not an event\'s id.',
  ],
  [
    "data is encoded as base64",
    { ...ours, data: undefined, data_base64: "e30=" },
    "data is missing; it must be JSON, not data_base64.",
  ],
  ["data is a string", { ...ours, data: "{}" }, 'data is "{}", not an object reference.'],
  ["the kind is missing", { ...ours, data: { ...acme, kind: "" } }, "data.kind is missing."],
  ["the name is missing", { ...ours, data: { ...acme, name: undefined } }, "data.name is missing."],
  [
    "the name is a path",
    { ...ours, data: { ...acme, name: "../../etc/passwd" } },
    'data.name is "../../etc/passwd", not an object\'s name.',
  ],
  [
    "the name is two dots",
    { ...ours, data: { ...acme, name: ".." } },
    'data.name is "..", not an object\'s name.',
  ],
  [
    "the namespace has a letter that only looks right",
    { ...ours, data: { ...acme, namespace: "l\u0430b" } },
    'data.namespace is "l\\u0430b", not a namespace\'s name.',
  ],
  [
    "the apiVersion is a URL with a password",
    { ...ours, data: { ...acme, apiVersion: "https://admin:hunter2@hub.lab/v1" } },
    'data.apiVersion is "https://[redacted]@hub.lab/v1", not an API version such as config.openshift.io/v1.',
  ],
  [
    "the name is longer than a name can be",
    { ...ours, data: { ...acme, name: "n".repeat(254) } },
    `data.name is "${"n".repeat(48)}...", not an object's name.`,
  ],
  [
    "the resourceVersion is a number",
    { ...ours, data: { ...acme, resourceVersion: 4711 } },
    "data.resourceVersion is 4711, not a resourceVersion.",
  ],
  [
    "a whole object has no metadata",
    { ...knative, type: "dev.knative.apiserver.resource.add" },
    "data.metadata is missing, not an object.",
  ],
  [
    "a whole object has no name",
    {
      ...knative,
      type: "dev.knative.apiserver.resource.add",
      data: { apiVersion: "v1", kind: "Pod", metadata: {} },
    },
    "data.metadata.name is missing.",
  ],
  [
    "SNS asks to confirm a subscription",
    {
      Type: "SubscriptionConfirmation",
      TopicArn: "arn:aws:sns:us-east-1:000000000000:t",
      Token: "2336412f37fb687f5d51e6e241d09c80",
      Message: "You have chosen to subscribe",
    },
    'Type is "SubscriptionConfirmation": SNS sends events as "Notification".',
  ],
  [
    "SNS carries text",
    { ...sns(ours), Message: "hello" },
    'Message of the SNS envelope is not JSON: 5 characters that start with "h".',
  ],
  [
    "SNS carries an object instead of a string",
    { ...sns(ours), Message: ours },
    "Message of the SNS envelope is not a string.",
  ],
  [
    "EventBridge carries nothing",
    eventBridge(undefined),
    "detail of the EventBridge envelope is missing, not an object.",
  ],
  ["a rule without an input fires", eventBridge({}), `detail ${noCloudEvent}`],
  [
    "an inner envelope is wrong",
    eventBridge(sns({ ...ours, data: { ...acme, kind: undefined } })),
    "detail.Message.data.kind is missing.",
  ],
  [
    "envelopes never end",
    eventBridge(eventBridge(eventBridge(eventBridge(ours)))),
    "The body has more than 3 envelopes around its content.",
  ],
  [
    "the tick is a command",
    { tick: "resync; rm -rf /" },
    'tick is "resync; rm -rf /", not a name such as "resync".',
  ],
] as const;

test.for(refused)("When $0, it should say so", ([, body, reason]) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  expect(parseHubEvent(text)).toEqual({ ok: false, reason });
});

test.for(["[", '{"a":', `{"specversion":"1.0","data":[`])(
  "When %s is nested a hundred thousand deep, it should return a refusal",
  (piece) => {
    const closed = piece.startsWith("[") ? "]".repeat(100_000) : `1${"}".repeat(100_000)}`;
    expect(parseHubEvent(piece.repeat(100_000)).ok).toBe(false);
    expect(parseHubEvent(piece.repeat(100_000) + closed).ok).toBe(false);
  },
);

test("When data is deeply nested where a name belongs, it should return a refusal", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const body = JSON.stringify({ ...ours, data: { ...acme, name: "@" } }).replace('"@"', deep);
  expect(parseHubEvent(body)).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/^The body is not JSON/),
  });
});

/** JSON whose fields are often, but not always, what an event has. */
const nearlyAnEvent = fc.dictionary(
  fc.constantFrom(...Object.keys({ ...knative, ...sns(1), ...eventBridge(1), tick: 1, metadata: 1 })),
  fc.oneof(fc.jsonValue(), fc.constantFrom("1.0", ours.type, "Notification"), fc.constant(acme)),
);

test("When a body is any string or any JSON, it should return one short printable sentence or an event", () => {
  const bodies = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.json(),
    nearlyAnEvent.map((value) => JSON.stringify(value)),
    nearlyAnEvent.map((value) => JSON.stringify({ ...ours, ...value })),
    nearlyAnEvent.map((value) => JSON.stringify({ ...ours, data: value })),
    nearlyAnEvent.map((value) => JSON.stringify(sns(eventBridge({ ...ours, ...value })))),
  );
  fc.assert(
    fc.property(bodies, (body) => {
      const parsed = parseHubEvent(body);
      if (!parsed.ok) expect(parsed.reason).toMatch(/^[\x20-\x7e]{1,199}\.$/);
    }),
    { numRuns: 2_000 },
  );
});
