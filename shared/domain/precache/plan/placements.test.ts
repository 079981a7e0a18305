import { expect, test } from "vitest";
import { anUpgrade } from "../../../../test/support/precache/precache-plan-objects.ts";
import { plan, platform } from "../../../../test/support/precache/precache-planning.ts";
import { type KubernetesObject, kinds } from "../../kubernetes/object.ts";

const unbound = {
  type: "PlacementSatisfied",
  status: "False",
  reason: "NoManagedClusterSetBindings",
  message: "none",
};
const placement = (
  condition: Readonly<Record<string, string>> = unbound,
  { namespace = "policies", upgrade = "upgrade" } = {},
): KubernetesObject => ({
  apiVersion: kinds.Placement.apiVersion,
  kind: kinds.Placement.kind,
  metadata: {
    name: "upgrade-platform-placement",
    namespace,
    labels: {
      "openshift-cluster-group-upgrades/clusterGroupUpgrade": upgrade,
      "openshift-cluster-group-upgrades/clusterGroupUpgradeNamespace": "ztp",
    },
  },
  status: { conditions: [condition] },
});
const running = { type: "Progressing", status: "True", reason: "InProgress", message: "" };
const upgrade = (conditions: readonly object[] = [running]): KubernetesObject => ({
  ...anUpgrade({ enable: true }),
  status: { conditions, managedPoliciesForUpgrade: [{ name: "platform", namespace: "policies" }] },
});
const waitingIn = (branch: "main" | undefined, ...objects: readonly KubernetesObject[]) =>
  plan({
    objects: [platform, ...objects],
    options: { compat: "talm", profile: "hardened", branch },
  }).conditions.filter(({ type }) => type === "Progressing");

test("When the Placement of a rollout selects no clusters, TALM's main branch should wait for it, and no release", () => {
  expect(waitingIn("main", upgrade(), placement())).toEqual([
    {
      type: "Progressing",
      status: "True",
      reason: "WaitingForPlacement",
      message:
        'Placement "upgrade-platform-placement" in namespace "policies" cannot select clusters: none. Create a ManagedClusterSetBinding for the "default" ManagedClusterSet in the policy namespace.',
    },
  ]);
  expect(waitingIn(undefined, upgrade(), placement())).toEqual([]);
});

test.for([
  { what: "no rollout runs", cgu: upgrade([{ ...running, status: "False" }]), one: placement() },
  {
    what: "the rollout has ended",
    cgu: upgrade([running, { type: "Succeeded", status: "True" }]),
    one: placement(),
  },
  {
    what: "the Placement is another upgrade's",
    cgu: upgrade(),
    one: placement(unbound, { upgrade: "other" }),
  },
  {
    what: "none of its policies is in that namespace",
    cgu: upgrade(),
    one: placement(unbound, { namespace: "elsewhere" }),
  },
  { what: "another reason is given", cgu: upgrade(), one: placement({ ...unbound, reason: "NoDecision" }) },
])("When $what, TALM's main branch should not wait", ({ cgu, one }) => {
  expect(waitingIn("main", cgu, one)).toEqual([]);
});
