import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sendingQueue } from "../../test/support/messages/sending-queue.ts";
import { type DirectoryHub, openDirectoryHub } from "../adapters/hub/directory/directory-hub.ts";
import { outcomeEvent } from "../domain/events/outcome-event.ts";
import { kinds } from "../domain/kubernetes/kinds.ts";
import { type KubernetesObject, referenceTo } from "../domain/kubernetes/object.ts";
import type { Action, Plan } from "../domain/plan/plan.ts";
import { clusterEvent } from "../domain/precache/model/cluster-event.ts";
import type { OutgoingMessage, Queue } from "../ports/queue.ts";
import { applyPlan } from "./apply-plan.ts";

let folder: string;
let hub: DirectoryHub;
let cgu: KubernetesObject;
let happened: string[];
let sent: OutgoingMessage[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hubrelay-apply-"));
  hub = openDirectoryHub(folder);
  happened = [];
  sent = [];
  cgu = await hub.create({
    apiVersion: "ran.openshift.io/v1alpha1",
    kind: "ClusterGroupUpgrade",
    metadata: { name: "upgrade", namespace: "default" },
    spec: { remediationStrategy: { maxConcurrency: 1 } },
  });
});

afterEach(async () => {
  hub.close();
  await rm(folder, { recursive: true });
});

const queueNamed = (name: string): Queue =>
  sendingQueue(name, async (messages) => {
    happened.push(`send to ${name}`);
    sent.push(...messages);
  });

function ports() {
  return {
    hub,
    queueNamed,
    log: (entry: Readonly<{ event: string; verb?: string }>) => {
      if (entry.event === "written") happened.push(`${entry.verb}`);
    },
  };
}

/** An annotation and a status on one object, and a hint about a cluster. */
function aPlan(): Plan {
  const annotations = { "hubrelay.dev/example": "1" };
  const annotated = { ...cgu, metadata: { ...cgu.metadata, annotations } };
  return {
    decisions: [],
    issues: [],
    actions: [
      { verb: "update", object: annotated, reason: "annotated" },
      {
        verb: "update-status",
        object: { ...annotated, status: { computedMaxConcurrency: 1 } },
        reason: "planned",
      },
    ],
    sends: [
      {
        queue: "precache-clusters",
        events: [clusterEvent(referenceTo(cgu), "sno1", { source: hub.id })],
        reason: "planned",
      },
    ],
  };
}

test("When a plan writes and sends, it should write one object twice and then send", async () => {
  expect(await applyPlan(aPlan(), "default/upgrade", ports())).toMatchObject({ outcome: "applied" });
  expect(happened).toEqual(["update", "update-status", "send to precache-clusters"]);
  expect(sent.map(({ body }) => JSON.parse(body).data.cluster)).toEqual(["sno1"]);
  expect(await hub.get(kinds.ClusterGroupUpgrade, "upgrade", "default")).toMatchObject({
    metadata: { annotations: { "hubrelay.dev/example": "1" } },
    status: { computedMaxConcurrency: 1 },
  });
});

test("When a write accepts the error that means already done, it should count as done", async () => {
  const { resourceVersion: _version, uid: _uid, ...metadata } = cgu.metadata;
  const create = { verb: "create", object: { ...cgu, metadata }, reason: "again", accepts: "AlreadyExists" };
  const gone = { ...cgu, metadata: { name: "gone", namespace: "default" } };
  const remove = { verb: "delete", object: gone, reason: "again", accepts: "NotFound" };
  const plan = { ...aPlan(), actions: [create, remove] } as Plan;
  expect(await applyPlan(plan, "default/upgrade", ports())).toEqual({
    outcome: "applied",
    failed: [],
    written: [],
    outcomes: [],
  });
  expect(happened).toEqual(["send to precache-clusters"]);
});

test("When an independent write fails, it should be returned, and the others made and sent", async () => {
  const strange = { ...cgu, metadata: { name: "x", namespace: "default", resourceVersion: "1" } };
  const create = { verb: "create", object: strange, reason: "a part" } as const;
  const plan = { ...aPlan(), actions: [create, ...aPlan().actions] };
  const isApart = ({ metadata }: KubernetesObject) => metadata.name === "x";
  const { outcome, failed } = await applyPlan(plan, "default/upgrade", ports(), isApart);
  expect(outcome).toBe("applied");
  expect(failed).toMatchObject([{ action: { reason: "a part" }, error: { code: "Invalid" } }]);
  expect(happened).toEqual(["update", "update-status", "send to precache-clusters"]);
});

test("When a plan has many writes, those of one object should be made in their order", async () => {
  const versions = [1, 2, 3].map((computedMaxConcurrency) => ({ computedMaxConcurrency }));
  const actions = versions.map((status) => ({
    verb: "update-status" as const,
    object: { ...cgu, status },
    reason: "planned",
  }));
  await applyPlan({ ...aPlan(), actions }, "default/upgrade", ports());
  expect(await hub.get(kinds.ClusterGroupUpgrade, "upgrade", "default")).toMatchObject({
    status: { computedMaxConcurrency: 3 },
  });
});

test("When only a Kubernetes Event could not be written, the plan's events should still be sent", async () => {
  const { apiVersion, kind } = kinds.Event;
  const metadata = { name: "reported", namespace: "default" };
  const event = { apiVersion, kind, metadata, type: "Warning", reason: "Reported", message: "reported" };
  await hub.create(event);
  happened.length = 0;
  const plan = {
    ...aPlan(),
    actions: [...aPlan().actions, { verb: "create" as const, object: event, reason: "annotated" }],
  };
  expect(await applyPlan(plan, "default/upgrade", ports())).toMatchObject({ outcome: "lost-race" });
  expect(happened).toEqual(["update", "update-status", "send to precache-clusters"]);
});

test("When another writer was first, it should send nothing and return lost-race", async () => {
  await hub.updateStatus({ ...cgu, status: { computedMaxConcurrency: 7 } });
  expect(await applyPlan(aPlan(), "default/upgrade", ports())).toMatchObject({ outcome: "lost-race" });
  expect(happened).toEqual([]);
});

test("When the queue rejects, it should return why", async () => {
  const down = (name: string): Queue => ({
    ...queueNamed(name),
    send: async () => {
      throw new Error(`${name} is down`);
    },
  });
  expect(await applyPlan(aPlan(), "default/upgrade", { ...ports(), queueNamed: down })).toMatchObject({
    outcome: "failed",
    error: new Error("precache-clusters is down"),
  });
  expect(happened).toEqual(["update", "update-status"]);
});

test("When there is no other queue, a plan that sends should fail with the queue's name", async () => {
  const { queueNamed: _none, ...withoutQueues } = ports();
  expect(await applyPlan(aPlan(), "default/upgrade", withoutQueues)).toMatchObject({
    outcome: "failed",
    error: { code: "QueueMissing", message: "no such queue: precache-clusters" },
  });
});

const reporting = (what: string) =>
  outcomeEvent({
    type: `dev.hubrelay.test.${what}`,
    source: "urn:test:hub",
    subject: "default/upgrade",
    from: "",
    data: {},
  });

test("When one of several writes loses a race, it should return only the outcomes of the others", async () => {
  const { apiVersion, kind } = cgu;
  const create = (name: string): Action => ({
    verb: "create",
    object: { apiVersion, kind, metadata: { name, namespace: "default" } },
    reason: "planned",
    outcomes: [reporting(name)],
  });
  const actions = [create("first"), create("upgrade"), create("last")];
  const { outcome, outcomes } = await applyPlan({ ...aPlan(), actions }, "default/upgrade", ports());
  expect(outcome).toBe("lost-race");
  expect(outcomes).toEqual([reporting("first"), reporting("last")]);
});
