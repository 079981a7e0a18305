import fc from "fast-check";
import { expect, test } from "vitest";
import { acme, eventBridge, knative, ours, sns } from "../../../test/support/messages/hub-events.ts";
import { anyCharacter } from "../../../test/support/outside-names/inherited-names.ts";
import { parseHubEvent } from "./hub-event.ts";

const noCloudEvent =
  "is not a CloudEvent (specversion is missing), not an SNS or EventBridge envelope and not a tick.";
const refused = [
  { name: "the body is empty", body: "", reason: "The body is empty." },
  {
    name: "the body is text",
    body: "password=hunter2",
    reason: 'The body is not JSON: 16 characters that start with "p".',
  },
  {
    name: "the body starts with a byte order mark",
    body: `\ufeff${JSON.stringify(ours)}`,
    reason: `The body is not JSON: ${JSON.stringify(ours).length + 1} characters that start with "\\ufeff".`,
  },
  { name: "the body is a list", body: [ours], reason: "The body is a list, not an object." },
  { name: "the body is a number", body: "42", reason: "The body is a number, not an object." },
  { name: "the body is null", body: "null", reason: "The body is null, not an object." },
  { name: "the body is an object of no known form", body: { hello: 1 }, reason: `The body ${noCloudEvent}` },
  {
    name: "the body is longer than a message can be",
    body: "x".repeat(1_048_577),
    reason: "The body has 1048577 characters; 1 MiB is the limit.",
  },
  {
    name: "the body is the object itself",
    body: { apiVersion: "v1", kind: "Secret", metadata: { name: "x" }, data: { token: "c2VjcmV0" } },
    reason: `The body ${noCloudEvent}`,
  },
  {
    name: "the specversion is from before 1.0",
    body: { ...ours, specversion: "0.3" },
    reason: 'specversion is "0.3", not "1.0".',
  },
  { name: "the type is not a string", body: { ...ours, type: 7 }, reason: "type is 7, not a string." },
  {
    name: "the type is another system's",
    body: { ...ours, type: "com.acme.order" },
    reason: 'type is "com.acme.order", not dev.knative.apiserver.(ref|resource).(add|update|delete).',
  },
  {
    name: "the verb is unknown",
    body: { ...ours, type: "dev.knative.apiserver.ref.patch" },
    reason:
      'type is "dev.knative.apiserver.ref.patch", not dev.knative.apiserver.(ref|resource).(add|update|delete).',
  },
  {
    name: "the id is missing",
    body: { ...ours, id: undefined },
    reason: "id is missing, not an event's id.",
  },
  {
    name: "the source is empty",
    body: { ...ours, source: "" },
    reason: 'source is "", not the name of a hub.',
  },
  {
    name: "the id would move a terminal's cursor",
    body: { ...ours, id: "a\u001b[2J" },
    reason: 'id is "a\\u001b[2J", not an event\'s id.',
  },
  {
    name: "data is encoded as base64",
    body: { ...ours, data: undefined, data_base64: "e30=" },
    reason: "data is missing; it must be JSON, not data_base64.",
  },
  {
    name: "data is a string",
    body: { ...ours, data: "{}" },
    reason: 'data is "{}", not an object reference.',
  },
  { name: "data is null", body: { ...ours, data: null }, reason: "data is null, not an object reference." },
  {
    name: "the kind is missing",
    body: { ...ours, data: { ...acme, kind: "" } },
    reason: "data.kind is missing.",
  },
  {
    name: "the name is missing",
    body: { ...ours, data: { ...acme, name: undefined } },
    reason: "data.name is missing.",
  },
  {
    name: "the name is a list",
    body: { ...ours, data: { ...acme, name: ["acme"] } },
    reason: "data.name is a list, not an object's name.",
  },
  {
    name: "the name is a path",
    body: { ...ours, data: { ...acme, name: "../../etc/passwd" } },
    reason: 'data.name is "../../etc/passwd", not an object\'s name.',
  },
  {
    name: "the name is two dots",
    body: { ...ours, data: { ...acme, name: ".." } },
    reason: 'data.name is "..", not an object\'s name.',
  },
  {
    name: "the namespace has a letter that only looks right",
    body: { ...ours, data: { ...acme, namespace: "l\u0430b" } },
    reason: 'data.namespace is "l\\u0430b", not a namespace\'s name.',
  },
  {
    name: "the apiVersion is a URL with a password",
    body: { ...ours, data: { ...acme, apiVersion: "https://admin:hunter2@hub.lab/v1" } },
    reason:
      'data.apiVersion is "https://[redacted]@hub.lab/v1", not an API version such as config.openshift.io/v1.',
  },
  {
    name: "the name is longer than a name can be",
    body: { ...ours, data: { ...acme, name: "n".repeat(254) } },
    reason: `data.name is "${"n".repeat(48)}...", not an object's name.`,
  },
  {
    name: "the resourceVersion is a number",
    body: { ...ours, data: { ...acme, resourceVersion: 4711 } },
    reason: "data.resourceVersion is 4711, not a resourceVersion.",
  },
  {
    name: "a whole object has no metadata",
    body: { ...knative, type: "dev.knative.apiserver.resource.add" },
    reason: "data.metadata is missing, not an object.",
  },
  {
    name: "a whole object has no name",
    body: {
      ...knative,
      type: "dev.knative.apiserver.resource.add",
      data: { apiVersion: "v1", kind: "Pod", metadata: {} },
    },
    reason: "data.metadata.name is missing.",
  },
  {
    name: "SNS asks to confirm a subscription",
    body: {
      Type: "SubscriptionConfirmation",
      TopicArn: "arn:aws:sns:us-east-1:000000000000:t",
      Token: "2336412f37fb687f5d51e6e241d09c80",
      Message: "You have chosen to subscribe",
    },
    reason: 'Type is "SubscriptionConfirmation": SNS sends events as "Notification".',
  },
  {
    name: "SNS carries text",
    body: { ...sns(ours), Message: "hello" },
    reason: 'Message of the SNS envelope is not JSON: 5 characters that start with "h".',
  },
  {
    name: "SNS carries an object instead of a string",
    body: { ...sns(ours), Message: ours },
    reason: "Message of the SNS envelope is not a string.",
  },
  {
    name: "EventBridge carries nothing",
    body: eventBridge(undefined),
    reason: "detail of the EventBridge envelope is missing, not an object.",
  },
  {
    name: "a rule without an input fires",
    body: eventBridge({}),
    reason: `detail ${noCloudEvent}`,
  },
  {
    name: "an inner envelope is wrong",
    body: eventBridge(sns({ ...ours, data: { ...acme, kind: undefined } })),
    reason: "detail.Message.data.kind is missing.",
  },
  {
    name: "envelopes never end",
    body: eventBridge(eventBridge(eventBridge(eventBridge(ours)))),
    reason: "The body has more than 3 envelopes around its content.",
  },
  { name: "the tick is a number", body: { tick: 5 }, reason: 'tick is 5, not a name such as "resync".' },
  {
    name: "the tick is a command",
    body: { tick: "resync; rm -rf /" },
    reason: 'tick is "resync; rm -rf /", not a name such as "resync".',
  },
];

test.for(refused)("When $name, it should say so", ({ body, reason }) => {
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
