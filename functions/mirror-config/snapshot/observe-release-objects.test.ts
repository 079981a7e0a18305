import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { drainOverrideMap, machineOSConfig, runs } from "#shared/domain/diff/node-cost/fixtures.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import { faultyHub } from "../../../test/support/hub/faulty-hub.ts";
import { observeReleaseObjects } from "./observe-release.ts";

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

test.for([
  [
    "the release is 4.19",
    runs("4.19.3"),
    ["ConfigMap", "FeatureGate", "MachineOSConfig"],
    { [override]: 1, [features]: 1, [configs]: 2 },
    undefined,
  ],
  [
    "4.19 is updated to 4.20",
    runs("4.19.3", "4.20.1"),
    ["FeatureGate", "MachineOSConfig"],
    { [features]: 1, [configs]: 2 },
    undefined,
  ],
  ["the release is 4.20", runs("4.20.1"), ["FeatureGate"], { [features]: 1 }, undefined],
  ["the release is 4.21", runs("4.21.1"), [], {}, undefined],
  ["the FeatureGate may not be read", runs("4.20.1"), [], { [features]: 1 }, [features]],
  ["no release is known", undefined, [], {}, undefined],
  [
    "the ConfigMap may not be read",
    runs("4.19.3"),
    ["FeatureGate", "MachineOSConfig"],
    { [override]: 1, [features]: 1, [configs]: 2 },
    [override],
  ],
  [
    "MachineOSConfigs may not be read",
    runs("4.19.3"),
    ["ConfigMap", "FeatureGate"],
    { [override]: 1, [features]: 1, [configs]: 2 },
    [configs],
  ],
] as const)("When $0, it should find $2", async ([, version, found, requests, forbidden = []]) => {
  expect(await observed(version, forbidden)).toEqual({ kinds: found, requests });
});
