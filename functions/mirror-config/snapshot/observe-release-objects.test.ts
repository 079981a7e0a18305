import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { drainOverrideMap, machineOSConfig, runs } from "#shared/domain/diff/node-cost/fixtures.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import { faultyHub } from "../../../test/support/hub/faulty-hub.ts";
import { observeReleaseObjects } from "./observe-release-objects.ts";

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
  {
    name: "the release is 4.19",
    version: runs("4.19.3"),
    kinds: ["ConfigMap", "FeatureGate", "MachineOSConfig"],
    requests: { [override]: 1, [features]: 1, [configs]: 2 },
  },
  {
    name: "4.19 is updated to 4.20",
    version: runs("4.19.3", "4.20.1"),
    kinds: ["FeatureGate", "MachineOSConfig"],
    requests: { [features]: 1, [configs]: 2 },
  },
  {
    name: "the release is 4.20",
    version: runs("4.20.1"),
    kinds: ["FeatureGate"],
    requests: { [features]: 1 },
  },
  { name: "the release is 4.21", version: runs("4.21.1"), kinds: [], requests: {} },
  {
    name: "the FeatureGate may not be read",
    version: runs("4.20.1"),
    forbidden: [features],
    kinds: [],
    requests: { [features]: 1 },
  },
  { name: "no release is known", version: undefined, kinds: [], requests: {} },
  {
    name: "the ConfigMap may not be read",
    version: runs("4.19.3"),
    forbidden: [override],
    kinds: ["FeatureGate", "MachineOSConfig"],
    requests: { [override]: 1, [features]: 1, [configs]: 2 },
  },
  {
    name: "MachineOSConfigs may not be read",
    version: runs("4.19.3"),
    forbidden: [configs],
    kinds: ["ConfigMap", "FeatureGate"],
    requests: { [override]: 1, [features]: 1, [configs]: 2 },
  },
])("When $name, it should find $kinds", async ({ version, forbidden = [], kinds: found, requests }) => {
  expect(await observed(version, forbidden)).toEqual({ kinds: found, requests });
});
