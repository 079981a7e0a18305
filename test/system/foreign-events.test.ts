import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { type DirectoryHub, openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { type QueueWorker, startQueueWorker } from "#shared/adapters/queue-worker/queue-worker.ts";
import { kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool } from "../support/hub/objects.ts";
import { eventBridge, knative, sns } from "../support/messages/hub-events.ts";
import { quietPorts } from "../support/messages/quiet-ports.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";

const queueName = "mirror-configs";
const generated = "99-worker-generated-registries";
const mirrorSet = (mirror: string) =>
  aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: [`${mirror}.example.com`] }]);

/** Knative in resource mode: the whole object, including managed fields. */
const knativeResource = {
  ...knative,
  type: "dev.knative.apiserver.resource.update",
  data: {
    ...mirrorSet("whatever-it-was"),
    metadata: { ...mirrorSet("x").metadata, managedFields: [{ manager: "kubectl", operation: "Update" }] },
  },
};

describe("events from other senders", () => {
  const directory = sharedFolder();
  let hub: DirectoryHub;
  let messaging: EmbeddedMessaging;
  let worker: QueueWorker;
  const entries: LogEntry[] = [];
  const troubles: unknown[] = [];
  let wake = Promise.withResolvers<void>();

  beforeAll(async () => {
    const items = [anImageConfig(), aClusterVersion(), aPool("worker"), mirrorSet("first")];
    await writeFile(
      join(directory.path, "hub.json"),
      JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    );
    hub = openDirectoryHub(directory.path, { id: "urn:test:hub" });
    messaging = await startEmbeddedMessaging({ queues: [queueName], topic: "hub-events" });
    const queue = messaging.queue(queueName);
    worker = startQueueWorker({
      sqs: messaging.sqs,
      queueUrl: queue.url,
      handler: hubEventHandler(mirrorConfig, {
        ...quietPorts(hub),
        queue,
        deadLetters: messaging.deadLetters(queueName),
        log: (entry) => {
          entries.push(entry);
          wake.resolve();
          wake = Promise.withResolvers();
        },
      }),
      onError: (error) => troubles.push(error),
    });
  });
  afterAll(async () => {
    await worker.stop();
    expect(troubles).toEqual([]);
    await messaging.stop();
    hub.close();
  });

  /** The entries from now on, as soon as this many messages are done. */
  async function whenDone(messages: number, begin: () => Promise<unknown>): Promise<readonly LogEntry[]> {
    const start = entries.length;
    await begin();
    for (;;) {
      const since = entries.slice(start);
      const done = since.map((entry) => {
        if (entry.event === "reconciled") return entry.messages;
        return entry.event === "event-ignored" || entry.event === "dead-lettered" ? 1 : 0;
      });
      if (done.reduce((sum: number, count) => sum + count, 0) >= messages) return since;
      await wake.promise;
    }
  }

  const sent = (message: unknown) => messaging.queue(queueName).send([{ body: JSON.stringify(message) }]);

  test("When events are repeated, out of order, ancient, forged or nonsense, they should cause nothing but reconciles", async () => {
    const reference = referenceTo(mirrorSet("any"));
    const from = { source: "urn:test:hub" };
    const present = hubEvent("update", reference, from);
    const misleading = [
      present,
      hubEvent("add", { ...reference, resourceVersion: "0" }, from),
      hubEvent("delete", reference, from),
      hubEvent("update", { ...reference, uid: "another-incarnation", resourceVersion: "999999" }, from),
      hubEvent("update", { ...reference, name: "never-was" }, from),
      hubEvent("delete", { ...kinds.Image, name: "cluster" }, { source: "https://another.hub" }),
      hubEvent("add", { ...kinds.MachineConfig, name: "99-worker-generated-registries" }, from),
      hubEvent("add", { apiVersion: "v1", kind: "Secret", namespace: "default", name: "pull-secret" }, from),
      { ...knativeResource, data: { ...knativeResource.data, spec: { imageDigestMirrors: "forged" } } },
      sns(eventBridge(present)),
      { tick: "resync" },
    ].map((message) => JSON.stringify(message));
    const nonsense = ["{}", "[]", '{"specversion":"1.0"}', `${misleading[0]}garbage`];

    await whenDone(1, () => sent(present));
    const before = await hub.get(kinds.MachineConfig, generated);
    const bodies = fc.sample(fc.constantFrom(...misleading, ...nonsense), {
      numRuns: 300,
      seed: 7,
    });
    const reported = await whenDone(bodies.length, () =>
      messaging.queue(queueName).send(bodies.map((body) => ({ body }))),
    );
    const harmless = [
      "event-received",
      "handled",
      "event-ignored",
      "decided",
      "reconciled",
      "dead-lettered",
      "issue",
      "clock",
    ];
    expect(reported.filter(({ event }) => !harmless.includes(event))).toEqual([]);
    expect(await hub.get(kinds.MachineConfig, generated)).toEqual(before);
    const dead = bodies.filter((body) => nonsense.includes(body)).length;
    expect(reported.filter(({ event }) => event === "dead-lettered")).toHaveLength(dead);
    expect(await messaging.deadLetters(queueName).depth()).toMatchObject({ visible: dead });
    expect(reported.filter(({ event }) => event === "reconciled").length).toBeLessThan(bodies.length / 2);
  });
});
