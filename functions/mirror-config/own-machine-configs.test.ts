import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import {
  type Case,
  decideAsReported,
  ownMachineConfig,
  worker,
} from "../../test/support/hub/mirror-config-cases.ts";
import {
  afterwards,
  aHub,
  release,
  storage,
  verdicts,
  written,
} from "../../test/support/hub/mirror-config-hub.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../../test/support/hub/objects.ts";
import { decide } from "./decide.ts";

/** More than the largest MachineConfig that an API server stores. */
const tooLarge = aDigestMirrorSet(
  "large",
  Array.from({ length: 6_000 }, (_, index) => ({
    source: `quay.io/${"a".repeat(100)}/r${index}`,
    mirrors: [`m.example/${"b".repeat(100)}/r${index}`],
  })),
);
/** Returns the object, and how often its rules were read. */
function countingReads(object: KubernetesObject) {
  let reads = 0;
  const counted = {
    ...object,
    get spec() {
      reads++;
      return object.spec;
    },
  };
  return { object: counted, reads: () => reads };
}

const cases: readonly Case[] = [
  {
    name: "When no MachineConfig exists, it should create one per built-in pool",
    hub: aHub(),
    report: [
      "99-master-generated-registries (hubrelay) create: 1 rule; a node's cost: reload. None of its changes affects running containers.",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "99-worker-generated-registries (hubrelay) create: 1 rule; a node's cost: reload. None of its changes affects running containers.",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create MachineConfig 99-master-generated-registries: 1 rule",
      "create MachineConfig 99-worker-generated-registries: 1 rule",
      "outcome rendered 99-master-generated-registries",
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When the Image object is missing, it should write no MachineConfig and report that on the pool",
    hub: aHub({ pools: worker, image: undefined }),
    report: [
      "99-worker-generated-registries (hubrelay) waiting: 99-worker-generated-registries is not written: Image/cluster of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "  99-worker-generated-registries is not written: Image/cluster of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "create Event Warning WaitingForClusterConfiguration: 99-worker-generated-registries is not written: Image/cluster of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
    ],
  },
  {
    name: "When the ClusterVersion is missing, it should write no MachineConfig and report that on the pool",
    hub: aHub({ pools: worker, clusterVersion: undefined }),
    report: [
      "99-worker-generated-registries (hubrelay) waiting: 99-worker-generated-registries is not written: ClusterVersion/version of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "  99-worker-generated-registries is not written: ClusterVersion/version of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "create Event Warning WaitingForClusterConfiguration: 99-worker-generated-registries is not written: ClusterVersion/version of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
    ],
  },
  ...[{ image: undefined }, { clusterVersion: undefined }].map((absent) => ({
    name: `When ${Object.keys(absent).join("")} is missing, it should report the errors of mirror objects all the same`,
    hub: aHub({ pools: worker, mirrorObjects: [release, storage], ...absent }),
    report: [
      expect.stringContaining("99-worker-generated-registries (hubrelay) waiting: "),
      expect.stringContaining("  99-worker-generated-registries is not written: "),
      'create Event Warning InvalidSource: spec.imageDigestMirrors[0].source: invalid format for source "quay.io/acme/csi:v1". Remove the tag; a source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest.',
      expect.stringContaining("create Event Warning WaitingForClusterConfiguration: "),
      "outcome refused cluster",
    ],
  })),
  {
    name: "When both are missing, it should report that on every pool",
    hub: aHub({ image: undefined, clusterVersion: undefined }),
    report: [
      "99-master-generated-registries (hubrelay) waiting: 99-master-generated-registries is not written: Image/cluster and ClusterVersion/version of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "  99-master-generated-registries is not written: Image/cluster and ClusterVersion/version of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "99-worker-generated-registries (hubrelay) waiting: 99-worker-generated-registries is not written: Image/cluster and ClusterVersion/version of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "  99-worker-generated-registries is not written: Image/cluster and ClusterVersion/version of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "create Event Warning WaitingForClusterConfiguration: 99-master-generated-registries is not written: Image/cluster and ClusterVersion/version of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "create Event Warning WaitingForClusterConfiguration: 99-worker-generated-registries is not written: Image/cluster and ClusterVersion/version of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
    ],
  },
  {
    name: "When hubrelay wrote the right content, it should change nothing",
    hub: aHub({ pools: worker, machineConfigs: [ownMachineConfig()] }),
    report: [
      "99-worker-generated-registries (hubrelay) unchanged: its content matches the mirror objects; 1 rule",
    ],
  },
  {
    name: "When the owner reference is gone, it should write it again",
    hub: aHub({ pools: worker, machineConfigs: [ownMachineConfig({ ownerReferences: [] })] }),
    report: [
      "99-worker-generated-registries (hubrelay) update: 1 rule; a node's cost: none. No file changes.",
      "  The files are up to date; what differs is metadata.ownerReferences.",
      "update MachineConfig 99-worker-generated-registries: 1 rule; changes metadata.ownerReferences",
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When the owner reference names an earlier Image object, it should write it again",
    hub: aHub({
      pools: worker,
      machineConfigs: [
        ownMachineConfig({
          ownerReferences: [{ apiVersion: "v1", kind: "Image", name: "cluster", uid: "old" }],
        }),
      ],
    }),
    report: [
      "99-worker-generated-registries (hubrelay) update: 1 rule; a node's cost: none. No file changes.",
      "  The files are up to date; what differs is metadata.ownerReferences.",
      "update MachineConfig 99-worker-generated-registries: 1 rule; changes metadata.ownerReferences",
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When the label of its role is lost, nodes have lost its files, and it should write it again",
    hub: aHub({ pools: worker, machineConfigs: [ownMachineConfig({ labels: {} })] }),
    report: [
      "99-worker-generated-registries (hubrelay) update: 1 rule; a node's cost: reload. None of its changes affects running containers.",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      'update MachineConfig 99-worker-generated-registries: 1 rule; changes metadata.labels["machineconfiguration.openshift.io/role"]',
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When nothing has a uid, as in files, it should not compare it",
    hub: aHub({
      pools: worker,
      image: { ...anImageConfig(), metadata: { name: "cluster" } },
      machineConfigs: [ownMachineConfig()],
    }),
    report: [
      "99-worker-generated-registries (hubrelay) unchanged: its content matches the mirror objects; 1 rule",
    ],
  },
];

decideAsReported(cases);

test("When one rule is applied, the reason of the write should say one rule", () => {
  expect(decide(aHub({ pools: [aPool("worker")] })).actions[0]?.reason).toBe("1 rule");
});

test("When ten pools have equal inputs, it should read the rules as often as for one pool", () => {
  const plans = [1, 10].map((count) => {
    const counted = countingReads(release);
    const pools = Array.from({ length: count }, (_, index) => aPool(`worker-${index}`));
    return { plan: decide(aHub({ pools, mirrorObjects: [counted.object] })), reads: counted.reads() };
  });
  const [one, ten] = plans;
  expect(ten?.plan.actions).toHaveLength(10);
  expect(ten?.reads).toBe(one?.reads);
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

test("When the configuration would be too large for the API, it should not write it and report that", () => {
  const plan = decide(aHub({ pools: worker, mirrorObjects: [tooLarge] }));
  expect(plan.decisions).toMatchObject([
    {
      verdict: "held",
      reason: "it would exceed the size limit of the API",
      differences: ["It would exceed the size limit of the API."],
    },
  ]);
  expect(written(plan)).toEqual(["create Event MachineConfigTooLarge"]);
});
