import fc from "fast-check";
import { expect, test } from "vitest";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { runOf } from "#shared/domain/precache-model/work-identity.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { running, withReport } from "../../../cli/simulation/reported-status.ts";
import { interleave, schedules, untilWon } from "../../support/hub/interleave.ts";
import { type Step, stepped } from "../../support/hub/stepped.ts";
import { quietPorts } from "../../support/messages/quiet-ports.ts";
import { sendingQueue } from "../../support/messages/sending-queue.ts";
import { aPlannedUpgrade } from "../../support/precache/precache-system.ts";
import { aWindow, isSuspended } from "../../support/precache/precache-windows.ts";
import { countRun, times } from "../../support/setup/soak.ts";

const key = "default/upgrade";
/** Inside the window as it is at first. */
const now = () => new Date("2026-03-02T02:00:00Z");
const parts = ["sno1"];

/** Reconciles as the queues do: what lost its race is delivered again. */
async function deliver(hub: Hub): Promise<void> {
  const queueNamed = (name: string) => sendingQueue(name, async () => undefined);
  const ports = { ...quietPorts(hub, now), queueNamed };
  for (const [controller, ofParts] of [
    [precacheStatus, {}],
    [precacheCluster, { parts }],
  ] as const)
    while ((await untilWon(() => reconcile(controller, key, ports, ofParts))).failed.length > 0);
}

async function edit(
  hub: Hub,
  read: () => Promise<KubernetesObject | undefined>,
  change: (object: KubernetesObject) => KubernetesObject,
): Promise<void> {
  const present = await read();
  if (!present) throw new Error("an object of this test is gone");
  await hub.update(change(present));
}

/** A person moves the window, or assigns the upgrade to another one: each with the reverse change. */
function edits(hub: Hub) {
  const reschedule = (schedule: string) => (object: KubernetesObject) => ({
    ...object,
    spec: { ...Object(object.spec), schedule },
  });
  const window = () => hub.get(kinds.MaintenanceWindow, "night", "default");
  const upgrade = () => hub.get(kinds.ClusterGroupUpgrade, "upgrade", "default");
  const send = (to: string) => (object: KubernetesObject) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { "hubrelay.dev/maintenance-window": to } },
  });
  const close = () => edit(hub, window, reschedule("0 12 * * *"));
  const open = () => edit(hub, window, reschedule("0 1 * * *"));
  const away = () => edit(hub, upgrade, send("noon"));
  const back = () => edit(hub, upgrade, send("night"));
  return [
    { before: open, make: close },
    { before: close, make: open },
    { before: back, make: away },
    { before: away, make: back },
  ];
}

/** A hub with a cluster that pulls during an opening. */
async function aHub(): Promise<Hub> {
  const hub = memoryHub({ id: "urn:test:hub", now, onChange: () => undefined });
  const annotations = { "hubrelay.dev/maintenance-window": "night" };
  hub.put(aPlannedUpgrade(["sno1"], { annotations }));
  hub.put(aWindow("night"));
  hub.put(aWindow("noon", { schedule: "0 12 * * *" }));
  await deliver(hub);
  for (const work of await hub.list(kinds.ManifestWork)) {
    const run = runOf(work);
    if (run) hub.put(withReport(work, run, running(0.5)));
  }
  return hub;
}

test.for([
  ["a window that closes", 0],
  ["a window that opens", 1],
  ["an annotation that names another window, which is closed", 2],
  ["an annotation that names another window, which is open", 3],
] as const)(
  "When reconciles of an upgrade race with %s, none should leave an outdated result behind",
  async ([, index]) => {
    const hub = await aHub();
    const change = edits(hub)[index];
    if (!change) throw new Error("there is no such change");
    await fc.assert(
      fc.asyncProperty(schedules(3, 40), async (schedule) => {
        countRun("reconciles that race with edits");
        await change.before();
        await deliver(hub);
        const looks = async (step: Step) => deliver(stepped(hub, step));
        const changes = async (step: Step) => {
          await step(change.make);
          await looks(step);
        };
        await interleave([changes, looks, looks], schedule);

        const { actions } = await precacheCluster.plan({
          hub,
          key,
          parts,
          now: now(),
          external: noExternalPorts,
        });
        expect(actions).toEqual([]);
        const [work] = await hub.list(kinds.ManifestWork);
        expect(work && isSuspended(work)).toBe(index % 2 === 0);
      }),
      { numRuns: times({ ci: 15, soak: 200 }) },
    );
  },
);
