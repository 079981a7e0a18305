import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { aMachineConfig, dropInPath } from "#shared/domain/openshift/machine-config/fixtures.ts";
import { ignitionRefusals } from "#shared/domain/openshift/machine-config/ignition-refusals.ts";
import { HubError } from "#shared/ports/hub.ts";
import {
  afterwards,
  aHub,
  foreignMachineConfig,
  mcoAnnotation,
} from "../../test/support/hub/mirror-config-hub.ts";
import { aPool, aVerifiedPool } from "../../test/support/hub/objects.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { decide } from "./decide.ts";
import { observeNodeFiles } from "./observe.ts";

const source = "quay.io/openshift-release-dev/ocp-release";
const tags = `[[registry]]\nlocation = "${source}"\n[[registry.mirror]]\nlocation = "tags.lan/release"\n`;
const dropIn = aMachineConfig("99-worker-tags", { [dropInPath]: tags });
const worker = [aPool("worker")];
const verifiedWorker = [aVerifiedPool("worker")];
const eventsOf = (snapshot: Parameters<typeof decide>[0]) =>
  decide(snapshot).actions.flatMap(({ object }) =>
    object.kind === "Event" ? [`${object.reason}: ${object.message}`] : [],
  );
const overridden = `OverriddenByMachineConfig: spec.imageDigestMirrors[0]: Nodes do not use this rule of ${source}: MachineConfig 99-worker-tags writes ${dropInPath}, which nodes use instead. Remove the file from MachineConfig 99-worker-tags, or write there what this object should do.`;

test.for([
  ["own", worker, [], "create"],
  ["verify", verifiedWorker, [foreignMachineConfig(mcoAnnotation)], "compared in part"],
] as const)(
  "When nodes use a drop-in instead of a rule, in %s mode its object should have an Event that names it",
  ([, pools, machineConfigs, verdict]) => {
    const hub = aHub({ pools, machineConfigs, nodeMachineConfigs: [dropIn] });
    const plan = decide(hub);
    expect(eventsOf(hub)).toEqual([overridden]);
    const comparedWithout = [{ pool: "worker", machineConfig: "99-worker-tags", path: dropInPath }];
    expect(plan.decisions).toMatchObject([{ verdict, comparedWithout }]);
    expect(plan.decisions[0]?.reason).toContain(
      `compared without ${dropInPath} of MachineConfig 99-worker-tags on pool worker; `,
    );
    expect(decide(afterwards(hub, plan)).actions).toEqual([]);
  },
);

test("When an outcome is about a pool, it should have the warning", () => {
  const plan = decide(aHub({ pools: worker, nodeMachineConfigs: [dropIn] }));
  expect(outcomesOf(plan)).toMatchObject([{ data: { issues: [{ code: "OverriddenByMachineConfig" }] } }]);
});

test("When only a custom pool selects the drop-in, it should count for the worker's MachineConfig", () => {
  const ofInfra = aMachineConfig("99-infra-tags", { [dropInPath]: tags }, "infra");
  const custom = aPool("infra", { labels: {} });
  const found = (customPools: readonly ReturnType<typeof aPool>[]) =>
    decide(aHub({ customPools, nodeMachineConfigs: [ofInfra] })).decisions.map(
      ({ comparedWithout = [] }) => comparedWithout,
    );
  expect(found([custom])).toEqual([
    [],
    [{ pool: "infra", machineConfig: "99-infra-tags", path: dropInPath }],
  ]);
  expect(found([])).toEqual([[], []]);
});

test("When machine-config-operator refuses the MachineConfig, it should have an Event, and the file be named once", () => {
  const broken = aMachineConfig("99-worker-z", { [dropInPath]: { source: "data:,[[registry]]" } });
  const hub = aHub({ pools: worker, nodeMachineConfigs: [broken] });
  expect(eventsOf(hub)).toEqual([expect.stringMatching(/^RefusedMachineConfig: .*RenderDegraded/)]);
  expect(decide(hub).decisions).toMatchObject([
    { comparedWithout: [{ pool: "worker", machineConfig: "99-worker-z", path: dropInPath }] },
  ]);
});

test("When machine-config-operator writes files by its templates, nothing should be reported", () => {
  const template = aMachineConfig("01-worker-container-runtime", { "/etc/containers/registries.conf": "" });
  const generated = { ...template, metadata: { ...template.metadata, annotations: mcoAnnotation } };
  const hub = aHub({ pools: worker, nodeMachineConfigs: [generated] });
  expect(decide(hub)).toEqual({ ...decide(aHub({ pools: worker })), standing: expect.any(Function) });
});

test("When MachineConfigs are read, only files about pulls should be kept", async () => {
  const hub = memoryHub({ id: "urn:test:hub", now: () => new Date(0) });
  const kept = aMachineConfig("99-worker-x", {
    [dropInPath]: tags,
    "/var/lib/kubelet/config.json": "secret",
  });
  hub.put(kept);
  hub.put(aMachineConfig("99-worker-ssh", { "/etc/ssh/key": "secret" }));
  hub.put({ ...kept, metadata: { name: "rendered-worker-1f2e" } });
  const found = await observeNodeFiles(hub);
  expect(found.map(({ metadata }) => metadata.name)).toEqual(["99-worker-x"]);
  expect(JSON.stringify(found)).not.toContain("secret");
  expect(found.flatMap((machineConfig) => ignitionRefusals(machineConfig))).toEqual([]);
});

test("When MachineConfigs may not be read, there should be none", async () => {
  const hub = memoryHub({ id: "urn:test:hub", now: () => new Date(0) });
  const list = () => Promise.reject(new HubError("Forbidden", "no"));
  expect(await observeNodeFiles({ ...hub, list })).toEqual([]);
});
