import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { parseRelease } from "../../openshift/releases/release.ts";
import { capabilityIssues, missingDependencies, upgradeIssues } from "./capability-issues.ts";
import type { CapabilityChoice, GuestCapabilities } from "./cluster-version-capabilities.ts";
import { upgradeCapabilities } from "./upgrade.ts";

const hostedCluster: KubernetesObject = {
  apiVersion: "hypershift.openshift.io/v1beta1",
  kind: "HostedCluster",
  metadata: { name: "shop", namespace: "clusters" },
};
const aGuest = (fields: Partial<GuestCapabilities>): GuestCapabilities => ({
  baseline: "None",
  additional: [],
  known: [],
  enabled: [],
  ...fields,
});

function issuesOf(choice: CapabilityChoice, version: string | undefined, guest?: GuestCapabilities) {
  return capabilityIssues({ hostedCluster, choice, version, knownToGuest: guest?.known, guest });
}

test.for([
  { choice: {}, version: "4.20.4" },
  { choice: { disabled: ["Console"] }, version: "4.20.4" },
  { choice: { disabled: ["ImageRegistry"] }, version: "4.18.4" },
])("When $version has $choice, it should report nothing", ({ choice, version }) => {
  expect(issuesOf(choice, version)).toEqual([]);
});

const about = { severity: "warning", object: { kind: "HostedCluster", namespace: "clusters", name: "shop" } };

const unknown = { code: "ReleaseUnknown", path: "spec.release.image" };
const newer = { code: "ReleaseNotInTable", path: "spec.release.image" };
const ofDisabled = { code: "CapabilityNotSupported", path: "spec.capabilities.disabled[0]" };
const ofEnabled = { code: "CapabilityNotSupported", path: "spec.capabilities.enabled[0]" };
test.for([
  [
    {},
    undefined,
    unknown,
    "the release is not known, so the capabilities are those of 5.2, the newest that hubrelay knows",
  ],
  [
    {},
    "6.0.1",
    newer,
    "hubrelay knows the capabilities of releases up to 5.2, and uses those of 5.2 for 6.0.1",
  ],
  [
    { disabled: ["Console", "ImageRegistry"] },
    "4.19.4",
    ofDisabled,
    "Console can be disabled from OpenShift 4.20 on, and this cluster has 4.19.4",
  ],
  [
    { enabled: ["baremetal"] },
    "4.19.4",
    ofEnabled,
    "baremetal can be enabled from OpenShift 4.20 on, and this cluster has 4.19.4",
  ],
  [
    { disabled: ["ImageRegistry"] },
    "4.17.4",
    ofDisabled,
    "ImageRegistry can be disabled from OpenShift 4.18 on, and this cluster has 4.17.4",
  ],
] as const)("When %j is checked with %s, it should report %j: %s", ([choice, version, found, message]) => {
  expect(issuesOf(choice, version)).toMatchObject([{ ...about, ...found, message }]);
});

test("When the name or the version is invalid, the first release of the capability should be unknown", () => {
  expect(issuesOf({ disabled: ["Telepathy"] }, "4.17.4")).toEqual([]);
  const reported = issuesOf({ disabled: ["Console"] }, "latest");
  expect(reported.map(({ code }) => code)).toEqual(["ReleaseNotInTable"]);
});

test("When the guest knows marketplace but not what it requires, it should be an error that names both", () => {
  const [issue, ...others] = issuesOf({}, "4.20.4", aGuest({ known: ["Build", "marketplace"] }));
  expect(others).toEqual([]);
  expect(issue).toMatchObject({
    code: "MissingDependency",
    severity: "error",
    object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
    path: "spec.capabilities",
    value: "marketplace",
    remedy:
      "Enable OperatorLifecycleManager or disable marketplace; the guest's API server refuses the ClusterVersion.",
    message: expect.stringMatching(/`marketplace` capability requires the `OperatorLifecycleManager`/),
  });
});

test.for([
  {
    fields: { known: ["Build", "Telepathy", "Console", "Clairvoyance"] },
    code: "CapabilityNotInTable",
    value: ["Clairvoyance", "Telepathy"],
    message: "the guest knows Clairvoyance, Telepathy, which hubrelay does not",
    remedy: "It stays off; use a newer hubrelay.",
  },
  ...[
    {
      enabled: ["Build", "Console"],
      value: ["Console"],
      message: "Console is on in the guest without being requested",
    },
    {
      enabled: ["Build", "ImageRegistry", "Insights"],
      value: ["ImageRegistry", "Insights"],
      message:
        "ImageRegistry, Insights are on in the guest without being requested, ImageRegistry although disabled",
    },
  ].map(({ enabled, ...reported }) => ({
    fields: { enabled, additional: ["Build"] },
    code: "ImplicitlyEnabled",
    remedy: "The cluster-version operator keeps on what was installed; only a new cluster is without it.",
    ...reported,
  })),
])("When the guest has $fields, it should report $code", ({ fields, ...issue }) => {
  expect(issuesOf({ disabled: ["ImageRegistry", "Ingress"] }, "4.20.4", aGuest(fields))).toEqual([
    { ...about, path: "spec.capabilities", ...issue },
  ]);
});

test("When an older release has installed baremetal, only a cluster that disables it should be warned", () => {
  const guest = aGuest({ enabled: ["Build", "baremetal"], additional: ["Build"] });
  expect(issuesOf({}, "4.20.4", guest)).toEqual([]);
  expect(issuesOf({ disabled: ["baremetal"] }, "4.20.4", guest).map(({ code }) => code)).toEqual([
    "ImplicitlyEnabled",
  ]);
});

test.for([
  {
    from: "4.13.2",
    to: "4.14.1",
    reported: ["StaysEnabled: ImageRegistry stays on with 4.14.1: what 4.13.2 has installed is not removed"],
  },
  {
    from: "4.14.2",
    to: "4.13.1",
    reported: [
      "BelowCapabilityRelease: ImageRegistry cannot be disabled in 4.13.1: there it is always installed",
    ],
  },
  { from: "4.18.1", to: "4.19.1", reported: [] },
  {
    from: "5.2.0",
    to: "5.3.0",
    reported: [
      "ReleaseNotInTable: hubrelay knows the capabilities of releases up to 5.2, and uses those of 5.2 for 5.3.0",
    ],
  },
])(
  "When $from becomes $to with the registry disabled, it should report $reported",
  ({ from, to, reported }) => {
    const choice = { disabled: ["ImageRegistry"] };
    const issues = upgradeIssues(hostedCluster, choice, upgradeCapabilities({ choice, from, to }));
    expect(issues.map(({ code, message }) => `${code}: ${message}`)).toEqual(reported);
    expect(issues.every(({ severity }) => severity === "warning")).toBe(true);
  },
);

test("When several capabilities stay on, they should be reported together", () => {
  const choice = { disabled: ["NodeTuning", "Ingress", "Console", "ImageRegistry"] };
  const upgrade = upgradeCapabilities({ choice, from: "4.13.9", to: "4.16.1" });
  expect(upgradeIssues(hostedCluster, choice, upgrade)).toEqual([
    {
      ...about,
      path: "spec.capabilities.disabled",
      code: "StaysEnabled",
      value: ["Console", "ImageRegistry", "Ingress", "NodeTuning"],
      message:
        "Console, ImageRegistry, Ingress, NodeTuning stay on with 4.16.1: what 4.13.9 has installed is not removed",
      remedy: "Only a cluster created with 4.20 or newer is without it.",
    },
  ]);
});

test("When the new release refuses the choice, it should be an error before the upgrade", () => {
  const choice = { disabled: ["OperatorLifecycleManager"] };
  const upgrade = upgradeCapabilities({ choice, from: "4.20.1", to: "4.21.1" });
  expect(upgradeIssues(hostedCluster, choice, upgrade)).toMatchObject([
    { code: "MissingDependency", severity: "error", value: "marketplace" },
  ]);
});

test.for([
  ["4.15.1", ["marketplace"], [], ["marketplace -> OperatorLifecycleManager"]],
  [undefined, ["marketplace"], [], ["marketplace -> OperatorLifecycleManager"]],
  ["4.14.1", ["marketplace"], [], []],
  ["4.20.1", ["marketplace", "OperatorLifecycleManager"], [], []],
  ["4.20.1", ["marketplace"], ["OperatorLifecycleManager"], []],
  ["4.20.1", [], ["marketplace"], []],
  ["4.13.1", ["baremetal"], [], []],
  ["4.14.1", ["baremetal"], [], ["baremetal -> MachineAPI"]],
  ["4.16.1", ["baremetal"], [], ["baremetal -> MachineAPI"]],
  ["4.17.1", ["baremetal"], [], []],
  [undefined, ["baremetal"], [], []],
  ["4.22.1", ["ClusterAPI"], [], []],
  ["5.0.1", ["ClusterAPI"], [], ["ClusterAPI -> CompatibilityRequirements"]],
] as const)(
  "When $0 has $1 with $2 already on, it should report $3 as missing",
  ([version, additional, on, missing]) => {
    const release = parseRelease(version);
    const found = missingDependencies(additional, on, release);
    expect(found.map(({ capability, requires }) => `${capability} -> ${requires}`)).toEqual(missing);
  },
);
