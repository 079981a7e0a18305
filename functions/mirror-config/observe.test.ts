import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { drainOverrideMap, machineOSConfig, runs } from "#shared/domain/diff/node-cost/fixtures.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import { faultyHub } from "../../test/support/hub/faulty-hub.ts";
import { observeReleaseObjects } from "./observe.ts";

async function observed(clusterVersion: ReturnType<typeof runs> | undefined, forbidden: readonly string[]) {
  const memory = memoryHub({ id: "urn:test:hub", now: () => new Date("2026-03-01T02:00:00Z") });
  for (const object of [drainOverrideMap, featureGate, machineOSConfig("worker")]) memory.put(object);
  const { hub, requests } = faultyHub(memory, (request) =>
    forbidden.includes(request) ? new HubError("Forbidden", `${request}: forbidden`) : undefined,
  );
  const found = await observeReleaseObjects(hub, clusterVersion);
  return { kinds: found.map(({ kind }) => kind), requests: Object.fromEntries(requests) };
}

const configs = "list MachineOSConfig";
const override = "get ConfigMap";
const features = "get FeatureGate";
const featureGate = { ...kinds.FeatureGate, metadata: { name: "cluster" } };

const all = { [override]: 1, [features]: 1, [configs]: 2 };
const [gate, pools] = ["FeatureGate", "MachineOSConfig"];
const newer = { [features]: 1, [configs]: 2 };

test.for([
  ["the release is 4.19", runs("4.19.3"), ["ConfigMap", gate, pools], all, []],
  ["4.19 is updated to 4.20", runs("4.19.3", "4.20.1"), [gate, pools], newer, []],
  ["the release is 4.20", runs("4.20.1"), [gate], { [features]: 1 }, []],
  ["the release is 4.21", runs("4.21.1"), [], {}, []],
  ["the FeatureGate may not be read", runs("4.20.1"), [], { [features]: 1 }, [features]],
  ["no release is known", undefined, [], {}, []],
  ["the ConfigMap may not be read", runs("4.19.3"), [gate, pools], all, [override]],
  ["MachineOSConfigs may not be read", runs("4.19.3"), ["ConfigMap", gate], all, [configs]],
] as const)("When $0, it should find $2", async ([, version, found, requests, forbidden]) => {
  expect(await observed(version, forbidden)).toEqual({ kinds: found, requests });
});
