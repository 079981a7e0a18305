import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sendingQueue } from "../../test/support/messages/sending-queue.ts";
import { temporaryFolder } from "../../test/support/setup/temporary-folder.ts";
import { type DirectoryHub, openDirectoryHub } from "../adapters/hub/directory/directory-hub.ts";
import { type KubernetesObject, kinds } from "../domain/kubernetes/object.ts";
import { outcomeEvent } from "../domain/plan/outcome-event.ts";
import type { Action, Plan } from "../domain/plan/plan.ts";
import { clusterEvent } from "../domain/precache-model/cluster-event.ts";
import type { OutgoingMessage, Queue } from "../ports/queue.ts";
import { applyPlan } from "./apply-plan.ts";

let hub: DirectoryHub;
let cgu: KubernetesObject;
let happened: string[];
let sent: OutgoingMessage[];

beforeEach(async () => {
  hub = openDirectoryHub(await temporaryFolder());
  happened = [];
  sent = [];
  cgu = await hub.create({
    apiVersion: "ran.openshift.io/v1alpha1",
    kind: "ClusterGroupUpgrade",
    metadata: { name: "upgrade", namespace: "default" },
    spec: { remediationStrategy: { maxConcurrency: 1 } },
  });
});

afterEach(() => hub.close());

const queueNamed = (name: string): Queue =>
  sendingQueue(name, async (messages) => {
    happened.push(`send to ${name}`);
    sent.push(...messages);
  });

function ports() {
  return {
    hub,
    external: {},
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
        events: [clusterEvent({ namespace: "default", name: "upgrade" }, "sno1", { source: hub.id })],
        reason: "planned",
      },
    ],
  };
}

const reporting = (what: string) =>
  outcomeEvent({
    type: "dev.hubrelay.precache-plan.planned",
    source: "urn:test:hub",
    subject: `default/${what}`,
    from: "",
    at: "2026-03-01T02:00:00Z",
    data: {},
  });

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

test("When the write of a part fails, the part should be returned, and the others made and sent", async () => {
  const strange = { ...cgu, metadata: { name: "x", namespace: "default", resourceVersion: "1" } };
  const create = { verb: "create", object: strange, reason: "a part", part: "sno1" } as const;
  const plan = { ...aPlan(), actions: [create, ...aPlan().actions] };
  const { outcome, failed } = await applyPlan(plan, "default/upgrade", ports());
  expect(outcome).toBe("applied");
  expect(failed).toMatchObject([{ part: "sno1", error: { code: "Invalid" } }]);
  expect(happened).toEqual(["update", "update-status", "send to precache-clusters"]);
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

describe("a plan with a guard", () => {
  const guarded = (changes: Partial<Plan> = {}): Plan => {
    const { actions, ...plan } = aPlan();
    const [first] = actions;
    const guard: Action = {
      verb: "update-status",
      object: { ...cgu, status: { computedMaxConcurrency: 1 } },
      reason: "planned",
      outcomes: [reporting("guard")],
    };
    return { ...plan, guard, actions: first ? [first] : [], ...changes };
  };
  const config: KubernetesObject = {
    apiVersion: kinds.PreCachingConfig.apiVersion,
    kind: kinds.PreCachingConfig.kind,
    metadata: { name: "config", namespace: "default" },
    spec: {},
  };
  const create: Action = { verb: "create", object: config, reason: "a part", outcomes: [reporting("part")] };

  test("When nobody was first, it should write the guard before everything else, and then send", async () => {
    const { outcome, outcomes } = await applyPlan(guarded(), "default/upgrade", ports());
    expect([outcome, outcomes]).toEqual(["applied", [reporting("guard")]]);
    expect(happened).toEqual(["update-status", "update", "send to precache-clusters"]);
    // The action was decided from the version before the guard, which has written a newer one.
    expect(await hub.get(kinds.ClusterGroupUpgrade, "upgrade", "default")).toMatchObject({
      metadata: { annotations: { "hubrelay.dev/example": "1" } },
      status: { computedMaxConcurrency: 1 },
    });
  });

  test("When another writer was first, it should write and send nothing else, and return lost-race", async () => {
    await hub.updateStatus({ ...cgu, status: { computedMaxConcurrency: 7 } });
    const plan = guarded({ actions: [create] });
    const result = await applyPlan(plan, "default/upgrade", ports());
    expect(result).toEqual({ outcome: "lost-race", failed: [], outcomes: [], written: [] });
    expect(happened).toEqual([]);
    expect(await hub.list(kinds.PreCachingConfig)).toEqual([]);
  });

  test("When the hub rejects the guard, it should write and send nothing else, and return why", async () => {
    const strange = { ...cgu, metadata: { name: "x", namespace: "default", resourceVersion: "1" } };
    const guard: Action = { verb: "create", object: strange, reason: "planned" };
    const plan = guarded({ guard, actions: [create] });
    const result = await applyPlan(plan, "default/upgrade", ports());
    expect(result).toMatchObject({ outcome: "failed", error: { code: "Invalid" }, written: [] });
    expect(happened).toEqual([]);
  });
});

test("When messages are for later, the queue should hold them back, and send the others at once", async () => {
  const { sends: [send] = [] } = aPlan();
  if (!send) throw new Error("the plan sends nothing");
  const sends = [send, { ...send, delaySeconds: 30 }];
  await applyPlan({ ...aPlan(), sends }, "default/upgrade", ports());
  expect(sent.map(({ delaySeconds }) => delaySeconds)).toEqual([undefined, 30]);
  expect(sent[0]).not.toHaveProperty("delaySeconds");
});

test("When there is no other queue, a plan that sends should fail with the queue's name", async () => {
  const { queueNamed: _none, ...withoutQueues } = ports();
  expect(await applyPlan(aPlan(), "default/upgrade", withoutQueues)).toMatchObject({
    outcome: "failed",
    error: { code: "QueueMissing", message: "no such queue: precache-clusters" },
  });
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
