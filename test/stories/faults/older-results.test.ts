import { expect, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { withoutVersions } from "../../support/faults/without-versions.ts";
import { aClusterVersion, anImageConfig, aPool } from "../../support/hub/objects.ts";
import { markWith } from "../../support/kills/edits.ts";
import { contentOf } from "../../support/kills/hub-content.ts";
import { watchMarks } from "../../support/kills/marker-times.ts";
import { quietPorts } from "../../support/messages/quiet-ports.ts";

/** Returns a hub whose client is paused before each of its updates, until it is resumed. */
function paused(hub: Hub) {
  const reached = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  const update: Hub["update"] = async (object) => {
    reached.resolve();
    await resumed.promise;
    return hub.update(object);
  };
  return { hub: { ...hub, update }, reached: reached.promise, resume: resumed.resolve };
}

/** What the tests of killed and paused processes find when a worker is paused between its reads and its writes. */
async function afterPause(guard: (hub: Hub) => Hub) {
  const hub = memoryHub({ id: "urn:test:hub", now: () => new Date() });
  for (const object of [anImageConfig(), aClusterVersion(), aPool("worker")]) hub.put(object);
  const marks = watchMarks(hub);
  const work = (on: Hub) => reconcile(mirrorConfig, "cluster", quietPorts(on));
  await markWith(hub, 1);
  await work(hub);
  await markWith(hub, 2);
  const one = paused(guard(hub));
  const working = work(one.hub);
  await one.reached;
  await markWith(hub, 3);
  await work(hub);
  const clean = await contentOf(hub);
  one.resume();
  await working;
  const result = await contentOf(hub);
  await markWith(hub, 4);
  await work(hub);
  await marks.seen(4);
  await marks.stop();
  return { late: marks.late, result, clean };
}

test("When a worker is paused between its reads and its writes, it should not write over a newer result", async () => {
  const { late, result, clean } = await afterPause((hub) => hub);
  expect(late).toEqual([]);
  expect(result).toEqual(clean);
});

test("When the hub did not compare versions, its older result should be found", async () => {
  const { late, result, clean } = await afterPause((hub) => withoutVersions(hub, hub));
  expect(late).toEqual([2]);
  expect(result).not.toEqual(clean);
});
