import { test } from "vitest";
import { precacheStatusWatches } from "#functions/precache-status/watches.ts";
import { resync } from "#functions/resync/resync.ts";
import { allWatches } from "#functions/watches.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Watches } from "#shared/runtime/controller.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { expectGolden } from "../support/golden/scenarios.ts";
import { goldenTrace } from "../support/golden/trace.ts";
import { release } from "../support/hub/mirror-config-hub.ts";
import { aClusterVersion, anImageConfig, aPool, aTagMirrorSet } from "../support/hub/objects.ts";
import { quietPorts } from "../support/messages/quiet-ports.ts";
import { sendingQueue } from "../support/messages/sending-queue.ts";
import { aPlannedUpgrade, precacheSystem } from "../support/precache/precache-system.ts";
import { aWindow } from "../support/precache/precache-windows.ts";

const trace = goldenTrace(
  "resync",
  "A tick names everything that functions reconcile again, for events that were lost: one message for each key.",
);

async function tick(
  objects: readonly KubernetesObject[],
  watches: readonly Watches[] = allWatches,
): Promise<void> {
  const hub = memoryHub({ id: "urn:test:hub", now: () => new Date("2026-03-01T02:00:00Z") });
  for (const object of objects) hub.put(object);
  const queue = sendingQueue("none", async () => undefined);
  const ports = trace.around({
    ...quietPorts(hub, () => new Date(0)),
    queue,
    queueNamed: (name) => ({ ...queue, name }),
    deadLetters: queue,
  });
  await resync(ports.hub, watches, (name) => ports.queueNamed?.(name) ?? queue);
}

test("When resync gets its ticks, it should do what resync.md shows", async () => {
  trace.scenario("The tick for all functions, on a hub with a bit of everything");
  const config = [anImageConfig(), aClusterVersion(), aPool("master"), aPool("worker"), release];
  const clusters = [aHostedCluster(), aHostedCluster({ name: "bank" }), aTagMirrorSet("tags", [])];
  const windows = [aWindow("night"), aWindow("noon")];
  await tick([...config, ...clusters, ...windows, aPlannedUpgrade(["sno1", "sno2"])]);

  trace.scenario("The tick for precache-status, after an upgrade was deleted and its works were not");
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1", "sno2"]));
  await system.settle();
  system.report(ended("fails"), ["sno1"]);
  await tick(system.works(), [precacheStatusWatches]);

  trace.scenario("The tick on an empty hub");
  await tick([]);
  await expectGolden(trace);
});
