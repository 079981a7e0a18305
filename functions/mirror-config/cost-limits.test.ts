import { policies } from "#shared/domain/diff/node-cost/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  acme,
  builtIn,
  type Case,
  decideAsReported,
  ownMachineConfig,
} from "../../test/support/hub/mirror-config-cases.ts";
import { aHub, release } from "../../test/support/hub/mirror-config-hub.ts";
import { aPool } from "../../test/support/hub/objects.ts";

const limitedPool = (maxCost: string) =>
  aPool("worker", { annotations: { "hubrelay.dev/max-cost": maxCost }, labels: builtIn });
const withTopology = (controlPlaneTopology: unknown): KubernetesObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  metadata: { name: "cluster" },
  status: { controlPlaneTopology },
});

const cases: readonly Case[] = [
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
];

decideAsReported(cases);
