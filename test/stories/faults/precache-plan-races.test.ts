import fc from "fast-check";
import { expect, test } from "vitest";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { withStates } from "#shared/domain/precache-model/planned-upgrade.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { createObject } from "../../support/hub/create-object.ts";
import { interleave, schedules, untilWon } from "../../support/hub/interleave.ts";
import { type Step, stepped } from "../../support/hub/stepped.ts";
import { quietPorts } from "../../support/messages/quiet-ports.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
} from "../../support/precache/precache-plan-objects.ts";
import { countRun, times } from "../../support/setup/soak.ts";

const now = () => new Date("2026-03-01T02:00:00Z");
const key = "ztp/upgrade";

test("When plans race with edits and with what clusters report, the last edit should be planned and no report lost", async () => {
  const hub = memoryHub({ id: "urn:test:hub", now });
  const deliver = async (through: Hub) =>
    void (await untilWon(() => reconcile(precachePlan, key, quietPorts(through, now))));
  const present = async (through: Hub) => through.get(kinds.ClusterGroupUpgrade, "upgrade", "ztp");
  const edit = (through: Hub, space: string) =>
    untilWon(async () => {
      const config = await through.get(kinds.PreCachingConfig, "config", "ztp");
      if (config) await through.update({ ...config, spec: { spaceRequired: space } });
    });
  /** As precache-status does: records a state, on top of the current plan. */
  const follow = (through: Hub, state: string) =>
    untilWon(async () => {
      const cgu = await present(through);
      const { clusters } = Object(Object(cgu?.status).precaching);
      if (cgu && clusters?.includes("sno1")) await through.updateStatus(withStates(cgu, { sno1: state }));
    });

  for (const object of [
    aPolicy("platform", [aWantedRelease()]),
    aManagedCluster("sno1"),
    aManagedCluster("sno2"),
    aPreCachingConfig({ spaceRequired: "40 GiB" }),
    anUpgrade({ preCachingConfigRef: { name: "config" } }),
  ])
    await createObject(hub, object);
  await deliver(hub);

  await fc.assert(
    fc.asyncProperty(schedules(3, 75), async (schedule) => {
      countRun("reconciles that race with edits");
      await edit(hub, "40 GiB");
      await deliver(hub);
      const actors = [
        async (step: Step) => {
          await edit(stepped(hub, step), "50 GiB");
          await deliver(stepped(hub, step));
        },
        async (step: Step) => deliver(stepped(hub, step)),
        async (step: Step) => follow(stepped(hub, step), "Active"),
      ];
      await interleave(actors, schedule);

      const { spec, status = {} } = Object(Object((await present(hub))?.status).precaching);
      expect(spec.spaceRequired).toBe("50");
      expect(status).toEqual({ sno1: "Active" });
      const again = await precachePlan.plan({ hub, key, now: now(), external: noExternalPorts });
      expect(again.actions).toEqual([]);
    }),
    { numRuns: times({ ci: 40, soak: 400 }) },
  );
}, 300_000);
