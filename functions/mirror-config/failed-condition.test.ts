import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import {
  blocked,
  type Case,
  decideAsReported,
  verifiedWorker,
  worker,
} from "../../test/support/hub/mirror-config-cases.ts";
import {
  afterwards,
  aHub,
  foreignMachineConfig,
  idlePolicy,
  release,
} from "../../test/support/hub/mirror-config-hub.ts";
import { anImageConfig, aPool } from "../../test/support/hub/objects.ts";
import { decide } from "./decide.ts";

const failed = (status: string): KubernetesObject => ({
  ...idlePolicy,
  status: { conditions: [{ type: "Failed", status, reason: "X", message: "x", observedGeneration: 1 }] },
});

const cases: readonly Case[] = [
  {
    name: "When an object with conditions is refused in own mode, it should report it in the condition Failed too",
    hub: aHub({ pools: worker, mirrorObjects: [release, idlePolicy], image: blocked }),
    report: [
      "99-worker-generated-registries (hubrelay) refused: the configuration has errors, so nothing of it is written; the nodes keep the last one",
      "update-status ClusterImagePolicy idle: ClusterImagePolicy/idle Failed is True: PolicyScopeBlocked",
      "create Event Warning PolicyScopeBlocked: spec.scopes[0]: clusterimagePolicy configured for the scope quay.io/acme is nested inside blockedRegistries. Remove the scope that contains it from spec.registrySources.blockedRegistries of Image/cluster, or remove it here.",
      "outcome refused cluster",
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
      "99-worker-generated-registries (hubrelay) refused: the configuration has errors, so nothing of it is written; the nodes keep the last one",
      "update-status ClusterImagePolicy idle: ClusterImagePolicy/idle Failed is True: PolicyScopeBlocked",
      "update-status ClusterImagePolicy fine: ClusterImagePolicy/fine Failed is False: Resolved",
      "update-status ImagePolicy idle: ImagePolicy/team/idle Failed is False: Resolved",
      'create Event Warning ConflictScopes: spec.scopes[0]: has conflicting scope(s) ["quay.io/other"] that equal to or nest inside existing clusterimagepolicy, only policy from clusterimagepolicy scope(s) will be applied. Remove the scope here, or from the ClusterImagePolicy that covers it.',
      "create Event Warning PolicyScopeBlocked: spec.scopes[0]: clusterimagePolicy configured for the scope quay.io/acme is nested inside blockedRegistries. Remove the scope that contains it from spec.registrySources.blockedRegistries of Image/cluster, or remove it here.",
      "outcome refused cluster",
    ],
  },
  {
    name: "When one pool is verified, conditions should be left to the other owner",
    hub: aHub({
      pools: [aPool("master"), ...verifiedWorker],
      machineConfigs: [foreignMachineConfig({}, [])],
      mirrorObjects: [release, idlePolicy],
      image: blocked,
    }),
    report: [
      "99-master-generated-registries (hubrelay) refused: the configuration has errors, so nothing of it is written; the nodes keep the last one",
      "99-worker-generated-registries (unknown) refused: no other writer was found (to have hubrelay write, run: kubectl annotate machineconfigpool worker hubrelay.dev/take-over=true); machine-config-operator refuses the configuration, the nodes keep the old file",
      "create Event Warning PolicyScopeBlocked: spec.scopes[0]: clusterimagePolicy configured for the scope quay.io/acme is nested inside blockedRegistries. Remove the scope that contains it from spec.registrySources.blockedRegistries of Image/cluster, or remove it here.",
      "outcome refused cluster",
    ],
  },
];

decideAsReported(cases);

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
  expect(conditionIn(fixed)).toBe("Failed False Resolved: This object has no errors.");
});
