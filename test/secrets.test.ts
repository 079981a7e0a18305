import type { Context } from "aws-lambda";
import { expect, onTestFinished, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { jsonLog } from "#shared/adapters/telemetry/json-log.ts";
import { redacted } from "#shared/domain/credentials/redact.ts";
import type { OutcomeEvent } from "#shared/domain/events/outcome-event.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { HubError } from "#shared/ports/hub.ts";
import type { OutgoingMessage, Queue } from "#shared/ports/queue.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import {
  aClusterVersion,
  aDigestMirrorSet,
  anImageConfig,
  aPool,
  aTagMirrorSet,
} from "./support/hub/objects.ts";
import { sendingQueue } from "./support/messages/sending-queue.ts";
import { aRecord } from "./support/messages/sqs-record.ts";
import { temporaryFolder } from "./support/setup/temporary-folder.ts";

const planted = "plantedWAXQ7r2b9dLm";
const login = `robot:${planted}`;
const pullSecret = JSON.stringify({ auths: { "quay.io": { auth: planted, password: planted } } });
const kubeConfig = `users:\n- name: admin\n  user:\n    token: ${planted}\n`;
const privateKey = `-----BEGIN PRIVATE KEY-----\n${planted}\n-----END PRIVATE KEY-----\n`;
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Objects that contain a credential where none belongs. */
const objects: readonly KubernetesObject[] = [
  aPool("worker"),
  aClusterVersion(),
  {
    ...anImageConfig({
      insecureRegistries: [`${login}@registry.example.com`],
      blockedRegistries: ["quay.io/idle"],
    }),
  },
  aDigestMirrorSet("login-in-source", [
    { source: `https://${login}@quay.io/acme`, mirrors: ["mirror.example.com/acme"] },
    { source: `${login}@quay.io/acme`, mirrors: ["mirror.example.com/acme"] },
  ]),
  aTagMirrorSet("login-in-mirror", [
    {
      source: "quay.io/other",
      mirrors: [`https://${login}@mirror.example.com/other`, `${login}@mirror.example.com`],
    },
  ]),
  aDigestMirrorSet("annotated", [{ source: "quay.io/fine:v1", mirrors: ["mirror.example.com/fine"] }], {
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": pullSecret, note: kubeConfig },
    labels: { token: planted },
  }),
  {
    apiVersion: "config.openshift.io/v1",
    kind: "ClusterImagePolicy",
    metadata: { name: "private-key" },
    spec: {
      scopes: ["quay.io/idle"],
      policy: { rootOfTrust: { policyType: "PublicKey", publicKey: { keyData: base64(privateKey) } } },
    },
  },
];

const event = (data: object, more: object = {}) =>
  JSON.stringify({
    specversion: "1.0",
    type: "dev.knative.apiserver.ref.update",
    source: "urn:test:hub",
    id: "1",
    data,
    ...more,
  });
const reference = { apiVersion: "config.openshift.io/v1", kind: "ImageDigestMirrorSet", name: "acme" };

/** Messages of a client that may send to the queue, or of a user who has pasted the wrong text into it. */
const bodies: readonly string[] = [
  event(reference),
  pullSecret,
  kubeConfig,
  privateKey,
  JSON.stringify({ tick: pullSecret }),
  event(reference, { type: `Bearer ${planted}` }),
  event(reference, { source: `https://${login}@hub.example.com` }),
  event(reference, { specversion: `token=${planted}` }),
  event({ ...reference, name: `token=${planted}` }),
  event({ ...reference, namespace: `password: ${planted}` }),
  event({ ...reference, kind: `token:${planted}` }),
  JSON.stringify({ Type: "Notification", TopicArn: "a", MessageId: "m", Message: pullSecret }),
];

/** Passes all messages to the function; returns everything that it has sent out, by channel. */
async function outputsOf(change: (hub: Hub) => Hub = (hub) => hub) {
  const hub = openDirectoryHub(await temporaryFolder(), { id: "urn:test:hub" });
  onTestFinished(() => hub.close());
  for (const { metadata, ...object } of objects) {
    const { uid: _uid, resourceVersion: _version, generation: _generation, ...own } = metadata;
    await hub.create({ ...object, apiVersion: object.apiVersion, kind: object.kind, metadata: own });
  }
  const log: string[] = [];
  const outcomes: OutcomeEvent[] = [];
  const dead: OutgoingMessage[] = [];
  const queue: Queue = sendingQueue("mirror-configs", async (messages) => {
    dead.push(...messages);
  });
  const handler = hubEventHandler(mirrorConfig, {
    hub: change(hub),
    external: noExternalPorts,
    queue,
    deadLetters: queue,
    outcomes: {
      publish: async (events) => {
        outcomes.push(...events);
      },
    },
    log: jsonLog((line) => log.push(line), { level: "debug" }),
    now: () => new Date("2026-03-01T02:00:00Z"),
  });
  await handler({ Records: bodies.map((body, index) => aRecord(`m${index}`, body)) }, {} as Context);
  return {
    log,
    outcomes,
    reasons: dead.map(({ attributes }) => attributes),
    events: await hub.list(kinds.Event),
  };
}

test("When objects and messages contain credentials, no output of the function should contain them", async () => {
  const outputs = await outputsOf();
  for (const [way, values] of Object.entries(outputs)) {
    expect(values.length, way).toBeGreaterThan(0);
    for (const one of values) expect(JSON.stringify(one), way).not.toContain(planted);
    expect(JSON.stringify(values), way).toContain(redacted);
  }
});

test("When the hub's response quotes a credential, the log should not", async () => {
  const outputs = await outputsOf((hub) => ({
    ...hub,
    list: async () => {
      throw new HubError("Forbidden", `list: refused Authorization: Bearer ${planted}`);
    },
  }));
  expect(outputs.log.join()).toContain("refused Authorization");
  expect(outputs.log.join()).not.toContain(planted);
});
