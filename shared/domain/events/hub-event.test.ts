import fc from "fast-check";
import { expect, test } from "vitest";
import { kinds } from "../kubernetes/kinds.ts";
import type { ObjectReference } from "../kubernetes/object.ts";
import { hubEvent, parseHubEvent, type Verb } from "./hub-event.ts";

const acme: ObjectReference = {
  apiVersion: "config.openshift.io/v1",
  kind: "ImageDigestMirrorSet",
  name: "acme",
  uid: "0d7f4c60-8a35-4d0e-9b0a-5cf7a1f3e1a7",
  resourceVersion: "4711",
};
const ours = hubEvent("update", acme, { source: "https://api.hub.lab:6443" });

/** What Knative's ApiServerSource sends for a cluster-scoped object: random id, doubled slash, extensions. */
const knative = {
  specversion: "1.0",
  id: "5f1c8c2e-1a57-4d62-9f0a-2f0b6a0c9c55",
  source: "https://10.96.0.1:443",
  type: "dev.knative.apiserver.ref.update",
  subject: "/apis/config.openshift.io/v1/namespaces//imagedigestmirrorsets/acme",
  datacontenttype: "application/json",
  data: { kind: "ImageDigestMirrorSet", name: "acme", apiVersion: "config.openshift.io/v1" },
  apiversion: "config.openshift.io/v1",
  kind: "ImageDigestMirrorSet",
  name: "acme",
  namespace: "",
};

const sns = (message: unknown) => ({
  Type: "Notification",
  MessageId: "1f0c2a6e-5b0d-5b7e-9c53-7b8f6d5a4c3b",
  TopicArn: "arn:aws:sns:eu-central-1:123456789012:hub-events",
  Message: JSON.stringify(message),
  Timestamp: "2026-08-10T12:00:00.000Z",
  SignatureVersion: "1",
  MessageAttributes: { type: { Type: "String", Value: "dev.knative.apiserver.ref.update" } },
});
const eventBridge = (detail: unknown) => ({
  version: "0",
  id: "6a7e8feb-b491-4cf7-a9f1-bf3703467718",
  "detail-type": "hub event",
  source: "hubrelay",
  account: "123456789012",
  time: "2026-08-10T12:00:00Z",
  region: "eu-central-1",
  resources: [],
  detail,
});

test("When a change is told, it should give the contract's CloudEvent", () => {
  expect(ours).toEqual({
    specversion: "1.0",
    type: "dev.knative.apiserver.ref.update",
    source: "https://api.hub.lab:6443",
    subject: "/apis/config.openshift.io/v1/imagedigestmirrorsets/acme",
    id: "0d7f4c60-8a35-4d0e-9b0a-5cf7a1f3e1a7/4711/update",
    datacontenttype: "application/json",
    data: acme,
  });
});

test("When the same change is told twice, it should give the same id, and another id for another change", () => {
  expect(hubEvent("update", acme, { source: "hub" }).id).toBe(ours.id);
  expect(hubEvent("delete", acme, { source: "hub" }).id).not.toBe(ours.id);
  expect(hubEvent("update", { ...acme, resourceVersion: "4712" }, { source: "hub" }).id).not.toBe(ours.id);
});

test("When the kind is unknown, it should name the object in the subject", () => {
  const reference = { apiVersion: "acme.example/v1", kind: "Widget", namespace: "lab", name: "w" };
  expect(hubEvent("add", reference, { source: "hub" })).toMatchObject({
    subject: "Widget/lab/w",
    id: "Widget/lab/w/unknown/add",
  });
});

const { uid: _uid, resourceVersion: _resourceVersion, ...withoutVersion } = acme;
const knativeEvent = {
  trigger: "object",
  verb: "update",
  reference: withoutVersion,
  subject: "ImageDigestMirrorSet/acme",
  type: "dev.knative.apiserver.ref.update",
  source: "https://10.96.0.1:443",
  id: "5f1c8c2e-1a57-4d62-9f0a-2f0b6a0c9c55",
};
const ourEvent = { ...knativeEvent, reference: acme, source: "https://api.hub.lab:6443", id: ours.id };
const tick = { trigger: "schedule", tick: "resync", subject: "resync", type: "dev.hubrelay.schedule.tick" };

const accepted = [
  {
    name: "When hubrelay sent it, it should read the reference with its version",
    body: ours,
    event: ourEvent,
  },
  {
    name: "When Knative sent a reference, it should do without uid and version",
    body: knative,
    event: knativeEvent,
  },
  {
    name: "When Knative sent the whole object, it should keep its reference alone",
    body: {
      ...knative,
      type: "dev.knative.apiserver.resource.delete",
      data: {
        apiVersion: "image.acme.io/v1beta1",
        kind: "Mirror",
        metadata: { name: "m", namespace: "lab", uid: "u-1", resourceVersion: "7", labels: { a: "b" } },
        spec: { password: "hunter2" },
      },
    },
    event: {
      ...knativeEvent,
      verb: "delete",
      type: "dev.knative.apiserver.resource.delete",
      subject: "Mirror/lab/m",
      reference: {
        apiVersion: "image.acme.io/v1beta1",
        kind: "Mirror",
        namespace: "lab",
        name: "m",
        uid: "u-1",
        resourceVersion: "7",
      },
    },
  },
  { name: "When SNS wrapped it, it should unwrap it", body: sns(ours), event: ourEvent },
  {
    name: "When EventBridge wrapped it, it should unwrap it",
    body: eventBridge(knative),
    event: knativeEvent,
  },
  {
    name: "When EventBridge, SNS and EventBridge wrapped it, it should unwrap all three",
    body: eventBridge(sns(eventBridge(ours))),
    event: ourEvent,
  },
  {
    name: "When data has fields that nobody knows yet, it should ignore them",
    body: { ...ours, data: { ...acme, feedback: { progress: 7 }, namespace: null } },
    event: ourEvent,
  },
  {
    name: "When the subject is forged, it should trust data alone",
    body: { ...ours, subject: "/api/v1/secrets/x\u001b[2J" },
    event: ourEvent,
  },
  { name: "When a schedule fired bare, it should read the tick", body: { tick: "resync" }, event: tick },
  {
    name: "When EventBridge wrapped a tick, it should read it",
    body: eventBridge({ tick: "resync" }),
    event: tick,
  },
  {
    name: "When a schedule sent a CloudEvent, it should read the tick in data",
    body: {
      specversion: "1.0",
      type: "dev.hubrelay.schedule.tick",
      source: "arn:aws:scheduler:eu-central-1:123456789012:schedule/default/resync",
      id: "d32c5kddcf5bb8c3",
      time: "2026-08-10T12:00:00Z",
      data: { tick: "resync" },
    },
    event: tick,
  },
];

test.for(accepted)("$name", ({ body, event }) => {
  expect(parseHubEvent(JSON.stringify(body))).toEqual({ ok: true, event });
});

const noCloudEvent = "is no CloudEvent (specversion is missing), no SNS or EventBridge envelope and no tick.";
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
  { name: "the type is no string", body: { ...ours, type: 7 }, reason: "type is 7, not a string." },
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
    name: "SNS tells about a subscription",
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
  "When %s is nested a hundred thousand deep, it should answer",
  (piece) => {
    const closed = piece.startsWith("[") ? "]".repeat(100_000) : `1${"}".repeat(100_000)}`;
    expect(parseHubEvent(piece.repeat(100_000)).ok).toBe(false);
    expect(parseHubEvent(piece.repeat(100_000) + closed).ok).toBe(false);
  },
);

test("When data is nested deep where a name belongs, it should answer", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const body = JSON.stringify({ ...ours, data: { ...acme, name: "@" } }).replace('"@"', deep);
  expect(parseHubEvent(body)).toEqual({ ok: false, reason: "data.name is a list, not an object's name." });
});

/** JSON whose fields are often, but not always, what an event has. */
const nearlyAnEvent = fc.dictionary(
  fc.constantFrom(...Object.keys({ ...knative, ...sns(1), ...eventBridge(1), tick: 1, metadata: 1 })),
  fc.oneof(fc.jsonValue(), fc.constantFrom("1.0", ours.type, "Notification"), fc.constant(acme)),
);

test("When a body is any string or any JSON at all, it should answer with one short printable sentence or an event", () => {
  const bodies = fc.oneof(
    fc.string({ unit: "binary" }),
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

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);
const references: fc.Arbitrary<ObjectReference> = fc
  .record(
    {
      kind: fc.constantFrom(...Object.values(kinds)),
      name: label,
      namespace: label,
      uid: fc.uuid(),
      resourceVersion: fc.nat().map(String),
    },
    { requiredKeys: ["kind", "name"] },
  )
  .map(({ kind, ...rest }) => ({ apiVersion: kind.apiVersion, kind: kind.kind, ...rest }));
const wrappings = fc.array(fc.constantFrom(sns, eventBridge), { maxLength: 3 });

test("When an event went through any envelopes, it should come out as it was", () => {
  const anyVerb = fc.constantFrom<Verb>("add", "update", "delete");
  fc.assert(
    fc.property(anyVerb, references, wrappings, (verb, reference, wrap) => {
      const sent = hubEvent(verb, reference, { source: "hub-1" });
      const body = JSON.stringify(wrap.reduce<unknown>((inner, envelope) => envelope(inner), sent));
      const { type, id, source } = sent;
      expect(parseHubEvent(body)).toMatchObject({
        ok: true,
        event: { trigger: "object", verb, reference, type, id, source },
      });
    }),
  );
});
