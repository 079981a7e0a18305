import fc from "fast-check";
import { expect, test } from "vitest";
import { acme, eventBridge, knative, ours, sns } from "../../../test/support/messages/hub-events.ts";
import { kinds, type ObjectReference } from "../kubernetes/object.ts";
import { hubEvent, parseHubEvent, type Verb } from "./hub-event.ts";

test("When an object changes, it should return the contract's CloudEvent", () => {
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

test("When the same change comes twice, it should have the same id, and another change another id", () => {
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
  correlationId: "5f1c8c2e-1a57-4d62-9f0a-2f0b6a0c9c55",
};
const ourEvent = {
  ...knativeEvent,
  reference: acme,
  source: "https://api.hub.lab:6443",
  id: ours.id,
  correlationId: ours.id,
};
const tick = { trigger: "schedule", tick: "resync", subject: "resync", type: "dev.hubrelay.schedule.tick" };

const wholeObject = {
  ...knative,
  type: "dev.knative.apiserver.resource.delete",
  data: {
    apiVersion: "image.acme.io/v1beta1",
    kind: "Mirror",
    metadata: { name: "m", namespace: "lab", uid: "u-1", resourceVersion: "7", labels: { a: "b" } },
    spec: { password: "hunter2" },
  },
};
const { labels: _labels, ...itsName } = wholeObject.data.metadata;
const ofWholeObject = {
  ...knativeEvent,
  verb: "delete",
  type: "dev.knative.apiserver.resource.delete",
  subject: "Mirror/lab/m",
  reference: { apiVersion: "image.acme.io/v1beta1", kind: "Mirror", ...itsName },
};
const tickEvent = {
  specversion: "1.0",
  type: "dev.hubrelay.schedule.tick",
  source: "arn:aws:scheduler:eu-central-1:123456789012:schedule/default/resync",
  id: "d32c5kddcf5bb8c3",
  time: "2026-08-10T12:00:00Z",
  data: { tick: "resync" },
};
const thrice = eventBridge(sns(eventBridge(ours)));
const unknownFields = { ...ours, data: { ...acme, progress: { images: 7 }, namespace: null } };
const clearing = "\u001b[2J";

test.for<readonly [what: string, body: unknown, event: object]>([
  ["hubrelay sent it, it should read the reference with its version", ours, ourEvent],
  ["Knative sent a reference, it should do without uid and version", knative, knativeEvent],
  ["Knative sent the whole object, it should keep only its reference", wholeObject, ofWholeObject],
  ["SNS wrapped it, it should unwrap it", sns(ours), ourEvent],
  ["EventBridge wrapped it, it should unwrap it", eventBridge(knative), knativeEvent],
  ["EventBridge, SNS and EventBridge wrapped it, it should unwrap all three", thrice, ourEvent],
  ["data has fields that nobody knows yet, it should ignore them", unknownFields, ourEvent],
  [
    "it follows from another event, it should keep that one's id beside its own",
    { ...ours, correlationid: "first/1/add" },
    { ...ourEvent, correlationId: "first/1/add" },
  ],
  [
    "the id that it follows from is invalid, it should use its own",
    { ...ours, correlationid: clearing },
    ourEvent,
  ],
  ["the subject is forged, it should trust only data", { ...ours, subject: `/api/x${clearing}` }, ourEvent],
  ["a schedule fired bare, it should read the tick", { tick: "resync" }, tick],
  ["EventBridge wrapped a tick, it should read it", eventBridge({ tick: "resync" }), tick],
  ["a schedule sent a CloudEvent, it should read the tick in data", tickEvent, tick],
])("When $0", ([, body, event]) => {
  expect(parseHubEvent(JSON.stringify(body))).toEqual({ ok: true, event });
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
