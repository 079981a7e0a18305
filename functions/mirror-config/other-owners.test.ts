import { expect, test } from "vitest";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import {
  type Case,
  decideAsReported,
  ownMachineConfig,
  reportOf,
  verifiedWorker,
  worker,
} from "../../test/support/hub/mirror-config-cases.ts";
import {
  afterwards,
  aHub,
  foreignMachineConfig,
  mcoAnnotation,
  release,
  storage,
  verdicts,
} from "../../test/support/hub/mirror-config-hub.ts";
import { aVerifiedPool } from "../../test/support/hub/objects.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { decide } from "./decide.ts";

const cases: readonly Case[] = [
  {
    name: "When another writer's hub lacks the Image object, it should report that too",
    hub: aHub({
      pools: verifiedWorker,
      image: undefined,
      machineConfigs: [foreignMachineConfig(mcoAnnotation)],
    }),
    report: [
      "99-worker-generated-registries (machine-config-operator) waiting: 99-worker-generated-registries is not written: Image/cluster of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "  99-worker-generated-registries is not written: Image/cluster of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "create Event Warning WaitingForClusterConfiguration: 99-worker-generated-registries is not written: Image/cluster of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
    ],
  },
  {
    name: "When machine-config-operator's has lost the label of its role, it should expect it back",
    hub: aHub({
      pools: verifiedWorker,
      machineConfigs: [ownMachineConfig({ labels: {}, annotations: mcoAnnotation })],
    }),
    report: [
      "99-worker-generated-registries (machine-config-operator) expected: machine-config-operator generates 99-worker-generated-registries; the mirror objects require different content, a node's cost: reload",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create Event Normal MachineConfigExpected: The mirror objects require a different 99-worker-generated-registries; its owner is expected to write it. A node's cost: reload. None of its changes affects running containers.",
      "outcome expected 99-worker-generated-registries",
      "requeue 2026-03-01T02:01:30.000Z",
    ],
  },
  {
    name: "When machine-config-operator wrote the right content, it should change nothing",
    hub: aHub({ pools: verifiedWorker, machineConfigs: [foreignMachineConfig(mcoAnnotation)] }),
    report: [
      "99-worker-generated-registries (machine-config-operator) in agreement: machine-config-operator generates 99-worker-generated-registries; it matches the mirror objects",
    ],
  },
  {
    name: "When machine-config-operator generates one pool's, it should not write another pool's either",
    hub: aHub({
      pools: [aVerifiedPool("master"), ...verifiedWorker],
      machineConfigs: [foreignMachineConfig(mcoAnnotation)],
    }),
    report: [
      "99-master-generated-registries (machine-config-operator) expected: machine-config-operator generates 99-worker-generated-registries; the mirror objects require different content, a node's cost: reload",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "99-worker-generated-registries (machine-config-operator) in agreement: machine-config-operator generates 99-worker-generated-registries; it matches the mirror objects",
      "create Event Normal MachineConfigExpected: The mirror objects require a different 99-master-generated-registries; its owner is expected to write it. A node's cost: reload. None of its changes affects running containers.",
      "outcome expected 99-master-generated-registries",
      "requeue 2026-03-01T02:01:30.000Z",
    ],
  },
  {
    name: "When machine-config-operator refuses a rule, it should create an Event for the rule's owner and compare nothing",
    hub: aHub({
      pools: verifiedWorker,
      machineConfigs: [foreignMachineConfig(mcoAnnotation)],
      mirrorObjects: [release, storage],
    }),
    report: [
      "99-worker-generated-registries (machine-config-operator) refused: machine-config-operator generates 99-worker-generated-registries; machine-config-operator refuses the configuration, the nodes keep the old file",
      'create Event Warning InvalidSource: spec.imageDigestMirrors[0].source: invalid format for source "quay.io/acme/csi:v1". Remove the tag; a source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest.',
      "outcome refused cluster",
    ],
  },
  {
    name: "When a take-over is requested while machine-config-operator runs, it should refuse it on the pool",
    hub: aHub({ pools: worker, machineConfigs: [foreignMachineConfig(mcoAnnotation)] }),
    report: [
      "99-worker-generated-registries (machine-config-operator) in agreement: machine-config-operator generates 99-worker-generated-registries; it matches the mirror objects",
      'create Event Warning TakeOverRefused: metadata.annotations["hubrelay.dev/take-over"]: machine-config-operator still generates 99-worker-generated-registries and would overwrite every take-over. Stop machine-config-operator and delete its MachineConfigs first, or remove the annotation and let hubrelay verify.',
      "outcome refused cluster",
    ],
  },
  {
    name: "When an unknown writer wrote the MachineConfig, it should only compare",
    hub: aHub({ pools: verifiedWorker, machineConfigs: [foreignMachineConfig({}, [])] }),
    report: [
      "99-worker-generated-registries (unknown) expected: no other writer was found (to have hubrelay write, run: kubectl annotate machineconfigpool worker hubrelay.dev/take-over=true); the mirror objects require different content, a node's cost: reload",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create Event Normal MachineConfigExpected: The mirror objects require a different 99-worker-generated-registries; no other writer was found (to have hubrelay write, run: kubectl annotate machineconfigpool worker hubrelay.dev/take-over=true). A node's cost: reload. None of its changes affects running containers.",
      "outcome expected 99-worker-generated-registries",
      "requeue 2026-03-01T02:01:30.000Z",
    ],
  },
  {
    name: "When there is no MachineConfig and nobody asked hubrelay to write it, it should say how to ask",
    hub: aHub({ pools: verifiedWorker }),
    report: [
      "99-worker-generated-registries (unknown) expected: no other writer was found (to have hubrelay write, run: kubectl annotate machineconfigpool worker hubrelay.dev/take-over=true); the mirror objects require different content, a node's cost: reload",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create Event Normal MachineConfigExpected: The mirror objects require a different 99-worker-generated-registries; no other writer was found (to have hubrelay write, run: kubectl annotate machineconfigpool worker hubrelay.dev/take-over=true). A node's cost: reload. None of its changes affects running containers.",
      "outcome expected 99-worker-generated-registries",
      "requeue 2026-03-01T02:01:30.000Z",
    ],
  },
  {
    name: "When a MachineConfig has no annotations, its writer should be unknown",
    hub: aHub({ pools: verifiedWorker, machineConfigs: [ownMachineConfig({ annotations: undefined })] }),
    report: [
      "99-worker-generated-registries (unknown) in agreement: no other writer was found (to have hubrelay write, run: kubectl annotate machineconfigpool worker hubrelay.dev/take-over=true); it matches the mirror objects",
    ],
  },
  {
    name: "When an unknown writer wrote it and the pool hands it over, it should write it",
    hub: aHub({ pools: worker, machineConfigs: [foreignMachineConfig({}, [])] }),
    report: [
      "99-worker-generated-registries (hubrelay) update: 1 rule; a node's cost: reload. None of its changes affects running containers.",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      'update MachineConfig 99-worker-generated-registries: 1 rule; changes metadata.annotations["hubrelay.dev/owned-by"], spec.config',
      "outcome rendered 99-worker-generated-registries",
    ],
  },
];

decideAsReported(cases);

test("When the owner of a MachineConfig does not follow within the grace period, it should report drift once", () => {
  const hub = aHub({
    pools: [aVerifiedPool("worker")],
    machineConfigs: [foreignMachineConfig(mcoAnnotation, [])],
  });
  const first = decide(hub);
  expect(first.requeueAt).toEqual(new Date("2026-03-01T02:01:30Z"));
  const late = { ...afterwards(hub, first), now: new Date("2026-03-01T02:02:00Z") };
  const second = decide(late);
  expect(verdicts(second)).toEqual(["99-worker-generated-registries drift"]);
  expect(second.decisions[0]?.reason).toMatch(
    /has not matched the mirror objects since 2026-03-01T02:00:00Z$/,
  );
  expect(outcomesOf(second).map(({ type }) => type)).toEqual(["dev.hubrelay.mirror-config.drift"]);
  expect(outcomesOf(decide(afterwards(late, second)))).toEqual([]);

  const reported = afterwards(late, second);
  const halfAnHourLater = decide({ ...reported, now: new Date("2026-03-01T02:32:00Z") });
  expect(
    halfAnHourLater.actions.map(({ verb, object }) => `${verb} ${object.reason} ${object.firstTimestamp}`),
    "the Events, which the API server would remove",
  ).toEqual([
    "update MachineConfigExpected 2026-03-01T02:00:00Z",
    "update MachineConfigDrift 2026-03-01T02:02:00Z",
  ]);
  expect(outcomesOf(halfAnHourLater)).toEqual([]);
});

test("When it takes over a MachineConfig, it should keep what others added", () => {
  const { metadata, ...found } = foreignMachineConfig({ own: "x" }, []);
  const labels = { ...metadata.labels, own: "x" };
  const present = {
    ...found,
    spec: { ...Object(found.spec), fips: true },
    metadata: { ...metadata, labels },
  };
  const [action] = decide(aHub({ pools: worker, machineConfigs: [present] })).actions;
  expect(action?.object).toMatchObject({
    metadata: {
      labels,
      annotations: { own: "x", "hubrelay.dev/owned-by": "mirror-config" },
      ownerReferences: [{ kind: "Image", uid: "uid-of-Image-cluster" }],
      resourceVersion: "7",
    },
    spec: { fips: true },
  });
  expect(action && readMachineConfigFiles(action.object)).toHaveLength(1);
});

test("When several pools are expected, the earliest deadline should be the next reconcile", () => {
  const [master, ...others] = [aVerifiedPool("master"), ...verifiedWorker];
  const machineConfigs = [foreignMachineConfig(mcoAnnotation, [])];
  const early = aHub({ pools: others, machineConfigs });
  const hub = afterwards(early, decide(early));
  const at = new Date("2026-03-01T02:00:30Z");
  for (const pools of [
    [...others, ...(master ? [master] : [])],
    [...(master ? [master] : []), ...others],
  ])
    expect(decide({ ...hub, pools, now: at }).requeueAt).toEqual(new Date("2026-03-01T02:01:30Z"));
});

test("When drift is due, it should say since when, and until then not", () => {
  const hub = aHub({ pools: verifiedWorker, machineConfigs: [foreignMachineConfig(mcoAnnotation, [])] });
  const waiting = afterwards(hub, decide(hub));
  expect(decide({ ...waiting, now: new Date("2026-03-01T02:01:29Z") }).decisions).toMatchObject([
    { verdict: "expected" },
  ]);
  const plan = decide({ ...waiting, now: new Date("2026-03-01T02:01:30Z") });
  expect(reportOf(plan)).toEqual([
    "99-worker-generated-registries (machine-config-operator) drift: machine-config-operator generates 99-worker-generated-registries; it has not matched the mirror objects since 2026-03-01T02:00:00Z",
    "  /etc/containers/registries.conf added",
    "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
    "create Event Warning MachineConfigDrift: 99-worker-generated-registries has not matched the mirror objects since 2026-03-01T02:00:00Z. Check the log of the controller that owns it.",
    "outcome drift 99-worker-generated-registries",
  ]);
});
