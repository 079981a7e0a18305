import type { Context, SQSRecord } from "aws-lambda";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import type { Ports } from "#shared/ports/ports.ts";
import type { OutgoingMessage, Queue } from "#shared/ports/queue.ts";
import type { Controller, ReconcileRequest } from "#shared/runtime/controller.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { sendingQueue } from "./sending-queue.ts";

export const now = new Date("2026-03-01T02:00:00Z");
/** A plan without actions. */
export const nothing: Plan = { decisions: [], issues: [], actions: [] };
const context = {} as Context;

/** A queue that records its requests, and refuses messages while `refuses` has an error. */
function aQueue() {
  const refuses: { error?: Error } = {};
  const sent: OutgoingMessage[] = [];
  const hidden: [handle: string, seconds: number][] = [];
  const queue: Queue = {
    ...sendingQueue("work", async (messages) => {
      if (refuses.error) throw refuses.error;
      sent.push(...messages);
    }),
    changeVisibility: async (handle, seconds) => {
      hidden.push([handle, seconds]);
    },
  };
  return { queue, sent, hidden, refuses };
}

export function mirrorSet(name: string): KubernetesObject {
  const { apiVersion, kind } = kinds.ImageDigestMirrorSet;
  return { apiVersion, kind, metadata: { name } };
}

/** A controller for ImageDigestMirrorSets, keyed by their name, whose plan a test provides or makes fail. */
export function aSystem(
  plan: (key: string) => Plan = () => nothing,
  more: Partial<Controller<never>> = {},
  update?: Ports["hub"]["update"],
  publish?: Ports["outcomes"]["publish"],
  reads: Partial<Ports["hub"]> = {},
) {
  const reconciles: string[] = [];
  const requests: ReconcileRequest[] = [];
  const entries: LogEntry[] = [];
  const published: OutcomeEvent[] = [];
  const work = aQueue();
  const deadLetters = aQueue();
  const controller: Controller<never> = {
    name: "test",
    queue: "work",
    watches: [{ kind: kinds.ImageDigestMirrorSet, mapToKeys: ({ name }) => [{ name }] }],
    plan: async (request) => {
      const { key } = request;
      requests.push(request);
      reconciles.push(key);
      return plan(key);
    },
    ...more,
  };
  const unused = async () => {
    throw new Error("this test neither reads nor writes");
  };
  const hub: Ports["hub"] = {
    id: "urn:test:hub",
    get: unused,
    list: unused,
    create: unused,
    update: update ?? unused,
    updateStatus: unused,
    delete: unused,
    watch: async function* () {},
    ...reads,
  };
  const handler = hubEventHandler(controller, {
    hub,
    external: {},
    queue: work.queue,
    deadLetters: deadLetters.queue,
    outcomes: {
      publish:
        publish ??
        (async (events) => {
          published.push(...events);
        }),
    },
    log: (entry) => entries.push(entry),
    now: () => now,
  });
  const handle = async (records: readonly SQSRecord[]) => {
    const { batchItemFailures } = await handler({ Records: [...records] }, context);
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  return { handle, reconciles, requests, entries, published, work, deadLetters };
}

/** Returns the body of a message about an update. */
export const change = (
  name: string,
  kind = kinds.ImageDigestMirrorSet as { apiVersion: string; kind: string },
) =>
  JSON.stringify(
    hubEvent("update", { ...kind, name, uid: "1", resourceVersion: "2" }, { source: "urn:test:hub" }),
  );
