import type { Context } from "aws-lambda";
import fc from "fast-check";
import { expect, test } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { jsonLog } from "#shared/adapters/telemetry/json-log.ts";
import { httpUpdateGraph } from "#shared/adapters/update-graph/http-update-graph.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { noExternalPorts, type UpdateGraph } from "#shared/ports/external-ports.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { tracesOf } from "./support/messages/credential-forms.ts";
import { leakFinder, plantedManifests } from "./support/messages/planted-manifests.ts";
import { sendingQueue } from "./support/messages/sending-queue.ts";
import { aRecord } from "./support/messages/sqs-record.ts";

/** Returns the status of an object as a text, without the plan in it: that is content, which docs/explanation/security.md exempts. */
function statusOf({ status }: KubernetesObject): string {
  if (!isRecord(status) || !isRecord(status.precaching)) return JSON.stringify(status) ?? "";
  const { spec: _plan, ...precaching } = status.precaching;
  return JSON.stringify({ ...status, precaching });
}

/** The URL of a graph without releases; nothing listens at any other. */
const emptyGraph = "http://127.0.0.1:1/empty";

/** Runs a function once on a hub with these objects; returns all that it has written, sent and logged. */
async function outputsOf(
  controller: Controller,
  objects: readonly KubernetesObject[],
  bodies: readonly string[],
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const now = () => new Date("2026-03-01T02:00:00Z");
  const hub = memoryHub({ id: "urn:test:hub", now });
  for (const object of objects) hub.put(object);
  const log: string[] = [];
  const outcomes: unknown[] = [];
  const queue = sendingQueue(controller.queue, async () => undefined);
  const dead: unknown[] = [];
  const deadLetters = sendingQueue("dead-letters", async (messages) => {
    dead.push(...messages.map(({ attributes }) => attributes));
  });
  const server = httpUpdateGraph({ environment: {}, userAgent: "test", timeoutMs: 5_000 });
  const updateGraph: UpdateGraph = {
    ask: async (query) =>
      query.upstream === emptyGraph ? { ok: true, image: undefined } : server.ask(query),
  };
  const handler = hubEventHandler(controller, {
    hub,
    queue,
    queueNamed: () => queue,
    deadLetters,
    external: { ...noExternalPorts, updateGraph },
    outcomes: {
      publish: async (events) => {
        outcomes.push(...events);
      },
    },
    log: jsonLog((line) => log.push(line), { level: "debug" }),
    now,
  });
  await handler({ Records: bodies.map((body, index) => aRecord(`m${index}`, body)) }, {} as Context);
  server.close();
  const withStatus = [kinds.ClusterGroupUpgrade, kinds.MaintenanceWindow];
  const objectsWithStatus = (await Promise.all(withStatus.map((kind) => hub.list(kind)))).flat();
  return {
    log,
    outcomes,
    dead,
    events: await hub.list(kinds.Event),
    statuses: objectsWithStatus.map(statusOf),
  };
}

const reference = (data: object, more: object = {}) =>
  JSON.stringify({
    specversion: "1.0",
    type: "dev.knative.apiserver.ref.update",
    source: "urn:test:hub",
    id: "1",
    data: { apiVersion: "v1", kind: "Thing", name: "one", ...data },
    ...more,
  });
const textOf = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value) ?? "").join("\n");

/** Returns the values that contain a secret. */
const tracesIn = (values: readonly unknown[], secret: string) =>
  values
    .map((value) => JSON.stringify(value) ?? "")
    .filter((text) => tracesOf(secret).some((trace) => text.includes(trace)));

test.for(controllers.map((controller) => ({ controller, name: controller.name })))(
  "When objects of every kind contain credentials anywhere, no output of $name should contain them",
  async ({ controller }) => {
    await fc.assert(
      fc.asyncProperty(plantedManifests(), async (manifests) => {
        // No API server has an object with such a name. Events are outputs: those that are there would count as written.
        const stored = manifests.filter(
          ({ object: { kind, metadata }, secret }) =>
            kind !== "Event" && tracesIn([metadata.name, metadata.namespace], secret).length === 0,
        );
        const bodies = stored.map(({ object: { apiVersion, kind, metadata } }) =>
          reference({ apiVersion, kind, name: metadata.name, namespace: metadata.namespace }),
        );
        const objects = stored.map(({ object }) => object);
        const leaksIn = leakFinder(stored);
        const { statuses = [], ...outputs } = await outputsOf(controller, objects, bodies);
        for (const [way, values] of Object.entries(outputs)) expect(leaksIn(textOf(values)), way).toEqual([]);
        const written = new Set(statuses);
        for (const object of objects) written.delete(statusOf(object));
        expect(leaksIn(textOf([...written]))).toEqual([]);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  },
);
