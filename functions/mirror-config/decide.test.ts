import { describe, expect, test } from "vitest";
import { readMachineConfigFiles } from "#shared/domain/machine-config/machine-config.ts";
import {
  afterwards,
  aHub,
  foreignMachineConfig,
  idlePolicy,
  mcoAnnotation,
  release,
  storage,
  takeOver,
  verdicts,
  written,
} from "../../test/support/hub/mirror-config-hub.ts";
import { anImageConfig, aPool } from "../../test/support/hub/objects.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { decide } from "./decide.ts";

const cases = [
  {
    name: "When no MachineConfig exists, it should create one per built-in pool",
    hub: aHub(),
    verdicts: ["99-master-generated-registries create", "99-worker-generated-registries create"],
    written: [
      "create MachineConfig 99-master-generated-registries",
      "create MachineConfig 99-worker-generated-registries",
    ],
    outcomes: ["dev.hubrelay.mirror-config.rendered", "dev.hubrelay.mirror-config.rendered"],
  },
  {
    name: "When a rule is refused in own mode, it should render the rest and create an Event for the owner of the rule",
    hub: aHub({ pools: [aPool("worker")], mirrorObjects: [release, storage] }),
    verdicts: ["99-worker-generated-registries create"],
    written: ["create MachineConfig 99-worker-generated-registries", "create Event InvalidSource"],
    outcomes: ["dev.hubrelay.mirror-config.rendered"],
  },
  {
    name: "When an object with conditions is refused in own mode, it should report it in the condition Failed too",
    hub: aHub({
      pools: [aPool("worker")],
      mirrorObjects: [release, idlePolicy],
      image: anImageConfig({ blockedRegistries: ["quay.io/acme"] }),
    }),
    verdicts: ["99-worker-generated-registries create"],
    written: [
      "create MachineConfig 99-worker-generated-registries",
      "update-status ClusterImagePolicy idle",
      "create Event PolicyScopeBlocked",
    ],
    outcomes: ["dev.hubrelay.mirror-config.rendered"],
  },
  {
    name: "When the Image object is missing, it should write no MachineConfig and report that on the pool",
    hub: aHub({ pools: [aPool("worker")], image: undefined }),
    verdicts: ["99-worker-generated-registries waiting"],
    written: ["create Event WaitingForClusterConfiguration"],
    outcomes: [],
  },
  {
    name: "When the ClusterVersion is missing, it should write no MachineConfig and report that on the pool",
    hub: aHub({ pools: [aPool("worker")], clusterVersion: undefined }),
    verdicts: ["99-worker-generated-registries waiting"],
    written: ["create Event WaitingForClusterConfiguration"],
    outcomes: [],
  },
  {
    name: "When machine-config-operator wrote the right content, it should change nothing",
    hub: aHub({ pools: [aPool("worker")], machineConfigs: [foreignMachineConfig(mcoAnnotation)] }),
    verdicts: ["99-worker-generated-registries in agreement"],
    written: [],
    outcomes: [],
  },
  {
    name: "When machine-config-operator generates one pool's, it should not write another pool's either",
    hub: aHub({ machineConfigs: [foreignMachineConfig(mcoAnnotation)] }),
    verdicts: ["99-master-generated-registries expected", "99-worker-generated-registries in agreement"],
    written: ["create Event MachineConfigExpected"],
    outcomes: ["dev.hubrelay.mirror-config.expected"],
  },
  {
    name: "When machine-config-operator refuses a rule, it should create an Event for the rule's owner and compare nothing",
    hub: aHub({
      pools: [aPool("worker")],
      machineConfigs: [foreignMachineConfig(mcoAnnotation)],
      mirrorObjects: [release, storage],
    }),
    verdicts: ["99-worker-generated-registries refused"],
    written: ["create Event InvalidSource"],
    outcomes: ["dev.hubrelay.mirror-config.refused"],
  },
  {
    name: "When a take-over is requested while machine-config-operator runs, it should refuse it on the pool",
    hub: aHub({
      pools: [aPool("worker", takeOverPool())],
      machineConfigs: [foreignMachineConfig(mcoAnnotation)],
    }),
    verdicts: ["99-worker-generated-registries in agreement"],
    written: ["create Event TakeOverRefused"],
    outcomes: ["dev.hubrelay.mirror-config.refused"],
  },
  {
    name: "When an unknown writer wrote the MachineConfig, it should only compare",
    hub: aHub({ pools: [aPool("worker")], machineConfigs: [foreignMachineConfig({}, [])] }),
    verdicts: ["99-worker-generated-registries expected"],
    written: ["create Event MachineConfigExpected"],
    outcomes: ["dev.hubrelay.mirror-config.expected"],
  },
  {
    name: "When an unknown writer wrote it and the pool hands it over, it should write it",
    hub: aHub({ pools: [aPool("worker", takeOverPool())], machineConfigs: [foreignMachineConfig({}, [])] }),
    verdicts: ["99-worker-generated-registries update"],
    written: ["update MachineConfig 99-worker-generated-registries"],
    outcomes: ["dev.hubrelay.mirror-config.rendered"],
  },
];

function takeOverPool() {
  return { ...takeOver, labels: { "machineconfiguration.openshift.io/mco-built-in": "" } };
}

describe("decide", () => {
  test.for(cases)("$name", ({ hub, ...expected }) => {
    const plan = decide(hub);
    expect(verdicts(plan)).toEqual(expected.verdicts);
    expect(written(plan)).toEqual(expected.written);
    expect(outcomesOf(plan).map(({ type }) => type)).toEqual(expected.outcomes);
  });

  test.for(cases)("$name; and deciding again afterwards should change nothing", ({ hub }) => {
    const plan = decide(hub);
    const again = decide(afterwards(hub, plan));
    expect(again.actions).toEqual([]);
    expect(outcomesOf(again)).toEqual([]);
  });

  test("When the last mirror object is deleted, it should render the MachineConfig without files", () => {
    const before = afterwards(aHub(), decide(aHub()));
    const plan = decide({ ...before, mirrorObjects: [] });
    expect(verdicts(plan)).toEqual([
      "99-master-generated-registries update",
      "99-worker-generated-registries update",
    ]);
    expect(plan.actions.map(({ object }) => readMachineConfigFiles(object))).toEqual([[], []]);
    expect(plan.actions.map(({ object }) => object.metadata.resourceVersion)).toEqual(["11", "11"]);
  });

  test("When an error is fixed, it should delete its Event", () => {
    const hub = aHub({ mirrorObjects: [storage] });
    const before = afterwards(hub, decide(hub));
    expect(before.objectEvents).toHaveLength(1);
    const plan = decide({ ...before, mirrorObjects: [release] });
    expect(written(plan)).toContain("delete Event InvalidSource");
  });

  test("When an error survives an edit of its object, it should increment the Event's count", () => {
    const hub = aHub({ mirrorObjects: [storage] });
    const before = afterwards(hub, decide(hub));
    const edited = { ...storage, metadata: { ...storage.metadata, generation: 2 } };
    const [action] = decide({ ...before, mirrorObjects: [edited] }).actions;
    expect(action).toMatchObject({ verb: "update", object: { kind: "Event", count: 2 } });
  });

  test("When the owner of a MachineConfig does not follow within the grace period, it should report drift once", () => {
    const hub = aHub({ pools: [aPool("worker")], machineConfigs: [foreignMachineConfig(mcoAnnotation, [])] });
    const first = decide(hub);
    expect(first.requeueAt).toEqual(new Date("2026-03-01T02:01:30Z"));
    const late = { ...afterwards(hub, first), now: new Date("2026-03-01T02:02:00Z") };
    const second = decide(late);
    expect(verdicts(second)).toEqual(["99-worker-generated-registries drift"]);
    expect(outcomesOf(second).map(({ type }) => type)).toEqual(["dev.hubrelay.mirror-config.drift"]);
    expect(outcomesOf(decide(afterwards(late, second)))).toEqual([]);
  });

  test("When an outcome is repeated, it should keep its id, and another transition should get a new one", () => {
    const [first] = outcomesOf(decide(aHub()));
    const [repeated] = outcomesOf(decide(aHub({ now: new Date("2026-03-01T05:00:00Z") })));
    expect(repeated?.id).toBe(first?.id);
    const shrunk = decide({ ...afterwards(aHub(), decide(aHub())), mirrorObjects: [] });
    expect(outcomesOf(shrunk)[0]?.id).not.toBe(first?.id);
  });
});
