import type { ObjectReference } from "#shared/domain/kubernetes/object.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";

export const acme: ObjectReference = {
  apiVersion: "config.openshift.io/v1",
  kind: "ImageDigestMirrorSet",
  name: "acme",
  uid: "0d7f4c60-8a35-4d0e-9b0a-5cf7a1f3e1a7",
  resourceVersion: "4711",
};
/** The event that hubrelay itself sends. */
export const ours = hubEvent("update", acme, { source: "https://api.hub.lab:6443" });

/** The event that Knative's ApiServerSource sends for a cluster-scoped object: random id, doubled slash, extensions. */
export const knative = {
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

/** The body that SNS delivers to a queue without raw delivery. */
export const sns = (message: unknown) => ({
  Type: "Notification",
  MessageId: "1f0c2a6e-5b0d-5b7e-9c53-7b8f6d5a4c3b",
  TopicArn: "arn:aws:sns:eu-central-1:123456789012:hub-events",
  Message: JSON.stringify(message),
  Timestamp: "2026-08-10T12:00:00.000Z",
  SignatureVersion: "1",
  MessageAttributes: { type: { Type: "String", Value: "dev.knative.apiserver.ref.update" } },
});
/** The body that an EventBridge rule delivers to a queue. */
export const eventBridge = (detail: unknown) => ({
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
