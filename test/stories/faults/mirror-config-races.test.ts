import fc from "fast-check";
import { expect, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { interleave, schedules, untilWon } from "../../support/hub/interleave.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool } from "../../support/hub/objects.ts";
import { type Step, stepped } from "../../support/hub/stepped.ts";
import { quietPorts } from "../../support/messages/quiet-ports.ts";
import { countRun, times } from "../../support/setup/soak.ts";

const now = () => new Date("2026-03-01T02:00:00Z");
const rule = (mirror: string) => [{ source: "quay.io/acme", mirrors: [mirror] }];

const deliver = (hub: Hub) => untilWon(() => reconcile(mirrorConfig, "cluster", quietPorts(hub, now)));

async function edit(hub: Hub, mirror: string): Promise<void> {
  const present = await hub.get(kinds.ImageDigestMirrorSet, "acme");
  if (!present) throw new Error("the mirror set of this test is gone");
  await hub.update({ ...present, spec: { imageDigestMirrors: rule(mirror) } });
}

/** A hub with one pool and one mirror set. */
function aHub(): Hub {
  const hub = memoryHub({ id: "urn:test:hub", now });
  for (const object of [
    anImageConfig(),
    aClusterVersion(),
    aPool("worker"),
    aDigestMirrorSet("acme", rule("m0.example.com")),
  ])
    hub.put(object);
  return hub;
}

/** Each run starts without a MachineConfig, so that reconciles also race to create it. */
async function forget(hub: Hub): Promise<void> {
  const [machineConfig] = await hub.list(kinds.MachineConfig);
  if (machineConfig) await hub.delete(referenceTo(machineConfig));
}

test("When two or three reconciles race with edits, none should leave an outdated result behind", async () => {
  const hub = aHub();
  const races = fc.integer({ min: 2, max: 3 }).chain((events) => schedules(events, 25 * events));
  await fc.assert(
    fc.asyncProperty(races, async (schedule) => {
      countRun("reconciles that race with edits");
      await forget(hub);
      const events = schedule.priorities.map((index) => async (step: Step) => {
        await step(() => edit(hub, `m${index + 1}.example.com`));
        await deliver(stepped(hub, step));
      });
      await interleave(events, schedule);

      const { decisions } = await mirrorConfig.plan({
        hub,
        key: "cluster",
        now: now(),
        external: noExternalPorts,
      });
      expect(decisions).toMatchObject([{ verdict: "unchanged" }]);
    }),
    { numRuns: times({ ci: 40, soak: 400 }) },
  );
}, 300_000);
