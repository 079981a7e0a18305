import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/machine-config/machine-config.ts";
import { anImagePolicy, largePolicy } from "#shared/domain/mirrors/policies/fixtures.ts";
import { policies } from "#shared/domain/node-cost/fixtures.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
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
import { aDigestMirrorSet, anImageConfig, aPool, aTagMirrorSet } from "../../test/support/hub/objects.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

const contradicting = (mirrorSourcePolicy: string) =>
  aDigestMirrorSet(mirrorSourcePolicy.toLowerCase(), [
    { source: "quay.io/acme", mirrors: ["m.example/acme"], mirrorSourcePolicy },
  ]);

type Case = Readonly<{ name: string; hub: Snapshot; report: readonly string[] }>;

const builtIn = { "machineconfiguration.openshift.io/mco-built-in": "" };
const worker = [aPool("worker")];
const limitedPool = (maxCost: string) =>
  aPool("worker", { annotations: { "hubrelay.dev/max-cost": maxCost }, labels: builtIn });
const withTopology = (controlPlaneTopology: unknown): KubernetesObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  metadata: { name: "cluster" },
  status: { controlPlaneTopology },
});
const takeOverPool = () => aPool("worker", { ...takeOver, labels: builtIn });
/** The worker's MachineConfig as hubrelay wrote it for these mirror objects, with other metadata since. */
const ownMachineConfig = (metadata: object = {}, mirrorObjects = [release]): KubernetesObject => {
  const written = foreignMachineConfig({ "hubrelay.dev/owned-by": "mirror-config" }, mirrorObjects);
  return { ...written, metadata: { ...written.metadata, ...metadata } };
};
const acme = (...mirrors: readonly string[]) => aTagMirrorSet("tags", [{ source: "quay.io/acme", mirrors }]);
const blocked = anImageConfig({ blockedRegistries: ["quay.io/acme"] });
const failed = (status: string): KubernetesObject => ({
  ...idlePolicy,
  status: { conditions: [{ type: "Failed", status, reason: "X", message: "x", observedGeneration: 1 }] },
});
/** More than the largest MachineConfig that an API server stores. */
const tooLarge = aDigestMirrorSet(
  "large",
  Array.from({ length: 6_000 }, (_, index) => ({
    source: `quay.io/${"a".repeat(100)}/r${index}`,
    mirrors: [`m.example/${"b".repeat(100)}/r${index}`],
  })),
);
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
    name: "When there is no pool, it should say that nothing is written",
    hub: aHub({ pools: [] }),
    report: [
      "MachineConfigs not needed: the hub has no built-in MachineConfigPool, as when its own control plane is hosted",
    ],
  },
  {
    name: "When there is no pool, it should report the errors of every object all the same",
    hub: aHub({ pools: [], mirrorObjects: [release, storage, idlePolicy], image: blocked }),
    report: [
      "MachineConfigs not needed: the hub has no built-in MachineConfigPool, as when its own control plane is hosted",
      "update-status ClusterImagePolicy idle: ClusterImagePolicy/idle Failed is True: PolicyScopeBlocked",
      "create Event Warning PolicyScopeBlocked: spec.scopes[0]: clusterimagePolicy configured for the scope quay.io/acme is nested inside blockedRegistries. Remove the scope that contains it from spec.registrySources.blockedRegistries of Image/cluster, or remove it here.",
      'create Event Warning InvalidSource: spec.imageDigestMirrors[0].source: invalid format for source "quay.io/acme/csi:v1". Remove the tag; a source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest.',
      "outcome refused cluster",
    ],
  },
  {
    name: "When a rule is refused in own mode, it should render the rest and create an Event for the owner of the rule",
    hub: aHub({ pools: worker, mirrorObjects: [release, storage] }),
    report: [
      "99-worker-generated-registries (hubrelay) create: 1 rule, 1 left out; a node's cost: reload. None of its changes affects running containers.",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create MachineConfig 99-worker-generated-registries: 1 rule, 1 left out",
      'create Event Warning InvalidSource: spec.imageDigestMirrors[0].source: invalid format for source "quay.io/acme/csi:v1". Remove the tag; a source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest.',
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When an object with conditions is refused in own mode, it should report it in the condition Failed too",
    hub: aHub({ pools: worker, mirrorObjects: [release, idlePolicy], image: blocked }),
    report: [
      "99-worker-generated-registries (hubrelay) create: 1 rule; a node's cost: drain. Unsafe for running containers. quay.io/acme: A new entry without mirrors, so it only changes the source itself.",
      "  /etc/containers/registries.conf added",
      "  quay.io/acme added: + blocked",
      "  /etc/containers/policy.json added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create MachineConfig 99-worker-generated-registries: 1 rule",
      "update-status ClusterImagePolicy idle: ClusterImagePolicy/idle Failed is True: PolicyScopeBlocked",
      "create Event Warning PolicyScopeBlocked: spec.scopes[0]: clusterimagePolicy configured for the scope quay.io/acme is nested inside blockedRegistries. Remove the scope that contains it from spec.registrySources.blockedRegistries of Image/cluster, or remove it here.",
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When the error of an object is fixed, its condition Failed should say so",
    hub: aHub({ pools: worker, mirrorObjects: [release, failed("True")] }),
    report: [
      "99-worker-generated-registries (hubrelay) create: 1 rule; a node's cost: reload. The node disruption policy for /etc/containers/policy.json asks for reload crio.service.",
      "  /etc/containers/policy.json added",
      "  /etc/containers/registries.conf added",
      "  /etc/containers/registries.d/sigstore-registries.yaml added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create MachineConfig 99-worker-generated-registries: 1 rule",
      "update-status ClusterImagePolicy idle: ClusterImagePolicy/idle Failed is False: Resolved",
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When an object never failed, its conditions should stay",
    hub: aHub({ pools: worker, mirrorObjects: [release, failed("False")] }),
    report: [
      "99-worker-generated-registries (hubrelay) create: 1 rule; a node's cost: reload. The node disruption policy for /etc/containers/policy.json asks for reload crio.service.",
      "  /etc/containers/policy.json added",
      "  /etc/containers/registries.conf added",
      "  /etc/containers/registries.d/sigstore-registries.yaml added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create MachineConfig 99-worker-generated-registries: 1 rule",
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When objects of other namespaces or names are refused, the condition of each should be its own",
    hub: aHub({
      pools: worker,
      image: blocked,
      mirrorObjects: [
        release,
        idlePolicy,
        {
          ...failed("True"),
          metadata: { ...idlePolicy.metadata, name: "fine" },
          spec: { ...Object(idlePolicy.spec), scopes: ["quay.io/other"] },
        },
        {
          ...failed("True"),
          kind: "ImagePolicy",
          metadata: { ...idlePolicy.metadata, namespace: "team" },
          spec: { ...Object(idlePolicy.spec), scopes: ["quay.io/other"] },
        },
      ],
    }),
    report: [
      "99-worker-generated-registries (hubrelay) create: 1 rule; a node's cost: drain. Unsafe for running containers. quay.io/acme: A new entry without mirrors, so it only changes the source itself.",
      "  /etc/containers/registries.conf added",
      "  quay.io/acme added: + blocked",
      "  /etc/containers/policy.json added",
      "  /etc/containers/registries.d/sigstore-registries.yaml added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create MachineConfig 99-worker-generated-registries: 1 rule",
      "update-status ClusterImagePolicy idle: ClusterImagePolicy/idle Failed is True: PolicyScopeBlocked",
      "update-status ClusterImagePolicy fine: ClusterImagePolicy/fine Failed is False: Resolved",
      "update-status ImagePolicy idle: ImagePolicy/team/idle Failed is False: Resolved",
      'create Event Warning ConflictScopes: spec.scopes[0]: has conflicting scope(s) ["quay.io/other"] that equal to or nest inside existing clusterimagepolicy, only policy from clusterimagepolicy scope(s) will be applied. Remove the scope here, or from the ClusterImagePolicy that covers it.',
      "create Event Warning PolicyScopeBlocked: spec.scopes[0]: clusterimagePolicy configured for the scope quay.io/acme is nested inside blockedRegistries. Remove the scope that contains it from spec.registrySources.blockedRegistries of Image/cluster, or remove it here.",
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When one pool is verified, conditions should be left to the other owner",
    hub: aHub({
      machineConfigs: [foreignMachineConfig({}, [])],
      mirrorObjects: [release, idlePolicy],
      image: blocked,
    }),
    report: [
      "99-master-generated-registries (hubrelay) create: 1 rule; a node's cost: drain. Unsafe for running containers. quay.io/acme: A new entry without mirrors, so it only changes the source itself.",
      "  /etc/containers/registries.conf added",
      "  quay.io/acme added: + blocked",
      "  /etc/containers/policy.json added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      '99-worker-generated-registries (unknown) refused: an unknown writer wrote it; the annotation hubrelay.dev/take-over: "true" on the pool hands it over to hubrelay; it refuses the configuration, the nodes keep the old file',
      "create MachineConfig 99-master-generated-registries: 1 rule",
      "create Event Warning PolicyScopeBlocked: spec.scopes[0]: clusterimagePolicy configured for the scope quay.io/acme is nested inside blockedRegistries. Remove the scope that contains it from spec.registrySources.blockedRegistries of Image/cluster, or remove it here.",
      "outcome rendered 99-master-generated-registries",
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
    name: "When another writer's hub lacks the Image object, it should report that too",
    hub: aHub({ pools: worker, image: undefined, machineConfigs: [foreignMachineConfig(mcoAnnotation)] }),
    report: [
      "99-worker-generated-registries (machine-config-operator) waiting: 99-worker-generated-registries is not written: Image/cluster of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "  99-worker-generated-registries is not written: Image/cluster of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
      "create Event Warning WaitingForClusterConfiguration: 99-worker-generated-registries is not written: Image/cluster of config.openshift.io/v1 does not exist. Create it, or restore it from a backup.",
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
    name: "When the label of its role is lost and the pool allows no cost, it should hold the change",
    hub: aHub({ pools: [limitedPool("none")], machineConfigs: [ownMachineConfig({ labels: {} })] }),
    report: [
      "99-worker-generated-registries (hubrelay) held: The change costs reload and the pool allows none: None of its changes affects running containers. No maintenance window allows it. Raise the annotation hubrelay.dev/max-cost to let it go ahead.",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create Event Warning ChangeHeld: The change costs reload and the pool allows none: None of its changes affects running containers. No maintenance window allows it. Raise the annotation hubrelay.dev/max-cost to let it go ahead.",
      "outcome held 99-worker-generated-registries",
    ],
  },
  {
    name: "When machine-config-operator's has lost the label of its role, it should expect it back",
    hub: aHub({
      pools: worker,
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
  {
    name: "When a change costs more than the pool allows, it should hold it",
    hub: aHub({
      pools: [limitedPool("none")],
      machineConfigs: [ownMachineConfig()],
      mirrorObjects: [release, acme("m.example")],
    }),
    report: [
      "99-worker-generated-registries (hubrelay) held: The change costs drain and the pool allows none: Unsafe for running containers. quay.io/acme: A new entry with mirrors that serve tags: m.example. No maintenance window allows it. Raise the annotation hubrelay.dev/max-cost to let it go ahead.",
      "  /etc/containers/registries.conf changed",
      "  quay.io/acme added: + m.example tag-only",
      "create Event Warning ChangeHeld: The change costs drain and the pool allows none: Unsafe for running containers. quay.io/acme: A new entry with mirrors that serve tags: m.example. No maintenance window allows it. Raise the annotation hubrelay.dev/max-cost to let it go ahead.",
      "outcome held 99-worker-generated-registries",
    ],
  },
  {
    name: "When the pool allows the cost, it should write the change",
    hub: aHub({
      pools: [limitedPool("drain")],
      machineConfigs: [ownMachineConfig()],
      mirrorObjects: [release, acme("m.example")],
    }),
    report: [
      "99-worker-generated-registries (hubrelay) update: 2 rules; a node's cost: drain. Unsafe for running containers. quay.io/acme: A new entry with mirrors that serve tags: m.example.",
      "  /etc/containers/registries.conf changed",
      "  quay.io/acme added: + m.example tag-only",
      "update MachineConfig 99-worker-generated-registries: 2 rules; changes spec.config",
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When nodes of a single-node cluster change, nothing should be drained",
    hub: aHub({
      pools: [limitedPool("reload")],
      machineConfigs: [ownMachineConfig()],
      mirrorObjects: [release, acme("m.example")],
      infrastructure: withTopology("SingleReplica"),
    }),
    report: [
      "99-worker-generated-registries (hubrelay) update: 2 rules; a node's cost: reload. Unsafe for running containers. quay.io/acme: A new entry with mirrors that serve tags: m.example. A single-node control plane is never drained.",
      "  /etc/containers/registries.conf changed",
      "  quay.io/acme added: + m.example tag-only",
      "update MachineConfig 99-worker-generated-registries: 2 rules; changes spec.config",
      "outcome rendered 99-worker-generated-registries",
    ],
  },
  {
    name: "When the topology is not text, it should not count",
    hub: aHub({
      pools: [limitedPool("reload")],
      machineConfigs: [ownMachineConfig()],
      mirrorObjects: [release, acme("m.example")],
      infrastructure: withTopology(["SingleReplica"]),
    }),
    report: [
      "99-worker-generated-registries (hubrelay) held: The change costs drain and the pool allows reload: Unsafe for running containers. quay.io/acme: A new entry with mirrors that serve tags: m.example. No maintenance window allows it. Raise the annotation hubrelay.dev/max-cost to let it go ahead.",
      "  /etc/containers/registries.conf changed",
      "  quay.io/acme added: + m.example tag-only",
      "create Event Warning ChangeHeld: The change costs drain and the pool allows reload: Unsafe for running containers. quay.io/acme: A new entry with mirrors that serve tags: m.example. No maintenance window allows it. Raise the annotation hubrelay.dev/max-cost to let it go ahead.",
      "outcome held 99-worker-generated-registries",
    ],
  },
  {
    name: "When a policy of the nodes changes the cost, it should count",
    hub: aHub({
      pools: [limitedPool("drain")],
      machineConfigs: [ownMachineConfig()],
      mirrorObjects: [release, acme("m.example")],
      machineConfiguration: policies({
        path: "/etc/containers/registries.conf",
        actions: [{ type: "Reboot" }],
      }),
    }),
    report: [
      "99-worker-generated-registries (hubrelay) held: The change costs reboot and the pool allows drain: The node disruption policy for /etc/containers/registries.conf asks for reboot. No maintenance window allows it. Raise the annotation hubrelay.dev/max-cost to let it go ahead.",
      "  /etc/containers/registries.conf changed",
      "  quay.io/acme added: + m.example tag-only",
      "create Event Warning ChangeHeld: The change costs reboot and the pool allows drain: The node disruption policy for /etc/containers/registries.conf asks for reboot. No maintenance window allows it. Raise the annotation hubrelay.dev/max-cost to let it go ahead.",
      "outcome held 99-worker-generated-registries",
    ],
  },
  {
    name: "When a source has contradicting rules, it should keep the mirrors that the nodes have",
    hub: aHub({
      pools: worker,
      machineConfigs: [ownMachineConfig({}, [contradicting("NeverContactSource")])],
      mirrorObjects: [contradicting("NeverContactSource"), contradicting("AllowContactingSource")],
    }),
    report: [
      "99-worker-generated-registries (hubrelay) unchanged: its content matches the mirror objects; 0 rules, 2 left out",
      'create Event Warning ConflictingMirrorSourcePolicy: spec.imageDigestMirrors[0].mirrorSourcePolicy: conflicting mirrorSourcePolicy is set for the same source "quay.io/acme" in imagedigestmirrorsets, imagetagmirrorsets, or imagecontentsourcepolicies; what is left out opens nothing: "quay.io/acme" stays blocked. Give every rule of this source one mirrorSourcePolicy: it is AllowContactingSource here and NeverContactSource in ImageDigestMirrorSet/nevercontactsource spec.imageDigestMirrors[0].',
      'create Event Warning ConflictingMirrorSourcePolicy: spec.imageDigestMirrors[0].mirrorSourcePolicy: conflicting mirrorSourcePolicy is set for the same source "quay.io/acme" in imagedigestmirrorsets, imagetagmirrorsets, or imagecontentsourcepolicies; what is left out opens nothing: "quay.io/acme" stays blocked. Give every rule of this source one mirrorSourcePolicy: it is NeverContactSource here and AllowContactingSource in ImageDigestMirrorSet/allowcontactingsource spec.imageDigestMirrors[0].',
      "outcome refused cluster",
    ],
  },
  {
    name: "When a mirror of a source that must not be contacted becomes invalid, it should change nothing",
    hub: aHub({
      pools: worker,
      machineConfigs: [ownMachineConfig({}, [release, contradicting("NeverContactSource")])],
      mirrorObjects: [
        release,
        aDigestMirrorSet("acme", [
          { source: "quay.io/acme", mirrors: ["m.example/Acme"], mirrorSourcePolicy: "NeverContactSource" },
        ]),
      ],
    }),
    report: [
      "99-worker-generated-registries (hubrelay) unchanged: its content matches the mirror objects; 1 rule, 1 left out",
      'create Event Warning InvalidMirror: spec.imageDigestMirrors[0].mirrors[0]: invalid format for mirror "m.example/Acme"; what is left out opens nothing: "quay.io/acme" stays blocked. Write the path in lower case; a mirror is host[:port][/path] in lower case, without scheme, wildcard, tag or digest.',
      "outcome refused cluster",
    ],
  },
  {
    name: "When machine-config-operator wrote the right content, it should change nothing",
    hub: aHub({ pools: worker, machineConfigs: [foreignMachineConfig(mcoAnnotation)] }),
    report: [
      "99-worker-generated-registries (machine-config-operator) in agreement: machine-config-operator generates 99-worker-generated-registries; it matches the mirror objects",
    ],
  },
  {
    name: "When machine-config-operator generates one pool's, it should not write another pool's either",
    hub: aHub({ machineConfigs: [foreignMachineConfig(mcoAnnotation)] }),
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
      pools: worker,
      machineConfigs: [foreignMachineConfig(mcoAnnotation)],
      mirrorObjects: [release, storage],
    }),
    report: [
      "99-worker-generated-registries (machine-config-operator) refused: machine-config-operator generates 99-worker-generated-registries; it refuses the configuration, the nodes keep the old file",
      'create Event Warning InvalidSource: spec.imageDigestMirrors[0].source: invalid format for source "quay.io/acme/csi:v1". Remove the tag; a source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest.',
      "outcome refused cluster",
    ],
  },
  {
    name: "When a take-over is requested while machine-config-operator runs, it should refuse it on the pool",
    hub: aHub({ pools: [takeOverPool()], machineConfigs: [foreignMachineConfig(mcoAnnotation)] }),
    report: [
      "99-worker-generated-registries (machine-config-operator) in agreement: machine-config-operator generates 99-worker-generated-registries; it matches the mirror objects",
      'create Event Warning TakeOverRefused: metadata.annotations["hubrelay.dev/take-over"]: machine-config-operator still generates 99-worker-generated-registries and would overwrite every take-over. Stop machine-config-operator and delete its MachineConfigs first, or remove the annotation and let hubrelay verify.',
      "outcome refused cluster",
    ],
  },
  {
    name: "When an unknown writer wrote the MachineConfig, it should only compare",
    hub: aHub({ pools: worker, machineConfigs: [foreignMachineConfig({}, [])] }),
    report: [
      '99-worker-generated-registries (unknown) expected: an unknown writer wrote it; the annotation hubrelay.dev/take-over: "true" on the pool hands it over to hubrelay; the mirror objects require different content, a node\'s cost: reload',
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      "create Event Normal MachineConfigExpected: The mirror objects require a different 99-worker-generated-registries; its owner is expected to write it. A node's cost: reload. None of its changes affects running containers.",
      "outcome expected 99-worker-generated-registries",
      "requeue 2026-03-01T02:01:30.000Z",
    ],
  },
  {
    name: "When a MachineConfig has no annotations, its writer should be unknown",
    hub: aHub({ pools: worker, machineConfigs: [ownMachineConfig({ annotations: undefined })] }),
    report: [
      '99-worker-generated-registries (unknown) in agreement: an unknown writer wrote it; the annotation hubrelay.dev/take-over: "true" on the pool hands it over to hubrelay; it matches the mirror objects',
    ],
  },
  {
    name: "When an unknown writer wrote it and the pool hands it over, it should write it",
    hub: aHub({ pools: [takeOverPool()], machineConfigs: [foreignMachineConfig({}, [])] }),
    report: [
      "99-worker-generated-registries (hubrelay) update: 1 rule; a node's cost: reload. None of its changes affects running containers.",
      "  /etc/containers/registries.conf added",
      "  quay.io/openshift-release-dev/ocp-release added: + registry.hub.example.com:8443/release digest-only",
      'update MachineConfig 99-worker-generated-registries: 1 rule; changes metadata.annotations["hubrelay.dev/owned-by"], spec.config',
      "outcome rendered 99-worker-generated-registries",
    ],
  },
];

/** What a plan decides, writes and reports, a line each. */
const reportOf = (plan: Plan): readonly string[] => [
  ...plan.decisions.flatMap(({ subject, verdict, reason, owner, differences = [] }) => [
    `${owner ? `${subject} (${owner})` : subject} ${verdict}: ${reason}`,
    ...differences.map((difference) => `  ${difference}`),
  ]),
  ...plan.actions.map(({ verb, object, reason }) => {
    if (object.kind === "Event") return `${verb} Event ${object.type} ${object.reason}: ${object.message}`;
    return `${verb} ${object.kind} ${object.metadata.name}: ${reason}`;
  }),
  ...outcomesOf(plan).map(
    ({ type, subject }) => `outcome ${type.replace("dev.hubrelay.mirror-config.", "")} ${subject}`,
  ),
  ...(plan.requeueAt ? [`requeue ${plan.requeueAt.toISOString()}`] : []),
];

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

describe("decide", () => {
  test.for(cases)("$name", ({ hub, report }) => {
    expect(reportOf(decide(hub))).toEqual(report);
  });

  test.for(cases)("$name; and deciding again afterwards should change nothing", ({ hub }) => {
    const plan = decide(hub);
    const again = decide(afterwards(hub, plan));
    expect(again.actions).toEqual([]);
    expect(outcomesOf(again)).toEqual([]);
  });

  test("When one rule is applied, the reason of the write should say one rule", () => {
    expect(decide(aHub({ pools: [aPool("worker")] })).actions[0]?.reason).toBe("1 rule");
    const both = aHub({ pools: [aPool("worker")], mirrorObjects: [release, storage] });
    expect(decide(both).actions[0]?.reason).toBe("1 rule, 1 left out");
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

  test("When the rules of a source contradict each other, every pool should keep the mirrors of its own applied file", () => {
    const mirror = (name: string) => `${name}.example.com/acme`;
    const applied = (pool: string, mirrors: string[]) =>
      aHub({
        pools: [aPool(pool)],
        mirrorObjects: [aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors }])],
      });
    const hubs = [applied("master", [mirror("old")]), applied("worker", [mirror("new")])];
    const contradicting = ["AllowContactingSource", "NeverContactSource"].map((mirrorSourcePolicy, index) =>
      aDigestMirrorSet(`acme-${index}`, [
        { source: "quay.io/acme", mirrors: [mirror("new")], mirrorSourcePolicy },
      ]),
    );
    const plan = decide(
      aHub({
        machineConfigs: hubs.flatMap((hub) => afterwards(hub, decide(hub)).machineConfigs),
        mirrorObjects: [...contradicting, release],
      }),
    );
    const rendered = plan.actions
      .filter(({ object }) => object.kind === "MachineConfig")
      .map(({ object }) =>
        readMachineConfigFiles(object).map(({ contents }) => contents.match(/\w+(?=\.example\.com\/acme)/g)),
      );
    expect(rendered).toEqual([[["old"]], [["new"]]]);
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
    expect(second.decisions[0]?.reason).toMatch(
      /has not matched the mirror objects since 2026-03-01T02:00:00Z$/,
    );
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

  test("When the configuration would be too large for the API, it should hold it and report that", () => {
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

  test("When the policies of one namespace make it too large, it should write all else and report on them", () => {
    const { scopes, policy } = largePolicy;
    const greedy = Array.from({ length: 5 }, (_, index) =>
      anImagePolicy("greedy", `p${index}`, scopes, policy),
    );
    const fine = anImagePolicy("fine", "own", ["quay.io/acme"], policy);
    const plan = decide(aHub({ pools: worker, mirrorObjects: [release, fine, ...greedy] }));
    expect(written(plan)).toEqual([
      "create MachineConfig 99-worker-generated-registries",
      ...greedy.map(({ metadata }) => `update-status ImagePolicy ${metadata.name}`),
      ...greedy.map(() => "create Event NamespacePoliciesTooLarge"),
    ]);
    const [create, status] = plan.actions;
    expect(create && readMachineConfigFiles(create.object).map(({ path }) => path)).toEqual([
      "/etc/containers/registries.conf",
      "/etc/containers/policy.json",
      "/etc/containers/registries.d/sigstore-registries.yaml",
      "/etc/crio/policies/fine.json",
      "/etc/crio/policies/greedy.json",
    ]);
    expect(status?.object).toMatchObject({
      metadata: { namespace: "greedy", name: "p0" },
      status: { conditions: [{ type: "Failed", status: "True", reason: "NamespacePoliciesTooLarge" }] },
    });
  });

  test("When it takes over a MachineConfig, it should keep what others added", () => {
    const { metadata, ...found } = foreignMachineConfig({ own: "x" }, []);
    const labels = { ...metadata.labels, own: "x" };
    const present = {
      ...found,
      spec: { ...Object(found.spec), fips: true },
      metadata: { ...metadata, labels },
    };
    const [action] = decide(aHub({ pools: [takeOverPool()], machineConfigs: [present] })).actions;
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

  test("When an error is reported as a condition, it should name field and remedy, until it is fixed", () => {
    const hub = aHub({ pools: worker, mirrorObjects: [release, idlePolicy], image: blocked });
    const conditionIn = (plan: Plan) => {
      const status = plan.actions.find(({ verb }) => verb === "update-status")?.object.status;
      const { type, status: is, reason, message } = Object(status).conditions[0];
      return `${type} ${is} ${reason}: ${message}`;
    };
    const first = decide(hub);
    expect(conditionIn(first)).toBe(
      "Failed True PolicyScopeBlocked: spec.scopes[0]: clusterimagePolicy configured for the scope quay.io/acme is nested inside blockedRegistries. Remove the scope that contains it from spec.registrySources.blockedRegistries of Image/cluster, or remove it here.",
    );
    const fixed = decide({ ...afterwards(hub, first), image: anImageConfig() });
    expect(conditionIn(fixed)).toBe("Failed False Resolved: Every rule of this object is applied.");
  });

  test("When a change is rendered, its outcome should have rules, files, cost and issues", () => {
    const plan = decide(aHub({ pools: worker, mirrorObjects: [release, storage] }));
    const [outcome] = outcomesOf(plan);
    const [file] = plan.actions.flatMap(({ object }) =>
      object.kind === "Event" ? [] : readMachineConfigFiles(object),
    );
    expect(outcome).toMatchObject({ source: "urn:test:hub", subject: "99-worker-generated-registries" });
    expect(outcome?.data).toMatchObject({
      pool: "worker",
      machineConfig: "99-worker-generated-registries",
      rules: { applied: 1, leftOut: 1 },
      files: [
        {
          path: "/etc/containers/registries.conf",
          bytes: Buffer.byteLength(file?.contents ?? ""),
          sha256: hash("sha256", file?.contents ?? ""),
        },
      ],
      cost: { cost: "reload" },
      conditions: [],
      issueCount: 1,
      issues: [{ code: "InvalidSource" }],
    });
    expect(outcome?.data).not.toHaveProperty("window");
  });

  test("When many files and sources change, the outcome should carry fifty changes", () => {
    const sources = Array.from({ length: 60 }, (_, index) => ({
      source: `quay.io/r${index}`,
      mirrors: ["m.example"],
    }));
    const plan = decide(aHub({ pools: worker, mirrorObjects: [aDigestMirrorSet("many", sources)] }));
    expect(Object(outcomesOf(plan)[0]?.data.cost).changes).toHaveLength(50);
  });

  test("When a message is delivered again, it should publish the outcomes of its last writes again", () => {
    const hub = aHub({ mirrorObjects: [release, storage] });
    const first = decide(hub);
    const before = afterwards(hub, first);
    const ids = ({ standing }: Plan) => standing?.(hub.now).map(({ id }) => id);
    expect(ids(decide(before))).toEqual(outcomesOf(first).map(({ id }) => id));
    const other = { ...before, hubId: "urn:test:other" };
    expect(ids(decide(other))).toEqual([]);
    const refusing = aHub({
      pools: worker,
      machineConfigs: [foreignMachineConfig(mcoAnnotation)],
      mirrorObjects: [storage],
    });
    const refused = decide(refusing);
    expect(ids(decide(afterwards(refusing, refused)))).toEqual(outcomesOf(refused).map(({ id }) => id));
  });

  test("When a refused rule is changed and refused again, that should be another outcome", () => {
    const hub = aHub({
      pools: worker,
      machineConfigs: [foreignMachineConfig(mcoAnnotation)],
      mirrorObjects: [storage],
    });
    const first = decide(hub);
    const edited = { ...storage, metadata: { ...storage.metadata, generation: 2 } };
    const second = decide({ ...afterwards(hub, first), mirrorObjects: [edited] });
    expect(outcomesOf(second)).toMatchObject([
      { type: "dev.hubrelay.mirror-config.refused", subject: "cluster" },
    ]);
    expect(outcomesOf(second)[0]?.id).not.toBe(outcomesOf(first)[0]?.id);
  });

  test("When several pools are expected, the earliest deadline should be the next reconcile", () => {
    const [master, ...others] = [aPool("master"), ...worker];
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
    const hub = aHub({ pools: worker, machineConfigs: [foreignMachineConfig(mcoAnnotation, [])] });
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

  test("When mirror objects are read in another order, the plan should be the same", () => {
    const mirrorObjects = [release, storage, acme("m.example"), contradicting("NeverContactSource")];
    const shuffled = fc.shuffledSubarray(mirrorObjects, { minLength: mirrorObjects.length });
    const inOrder = decide(aHub({ mirrorObjects }));
    fc.assert(
      fc.property(shuffled, (objects) => {
        const plan = decide(aHub({ mirrorObjects: objects }));
        expect(plan.actions).toEqual(inOrder.actions);
        expect(plan.decisions).toEqual(inOrder.decisions);
      }),
      { numRuns: 30 },
    );
  });
});
