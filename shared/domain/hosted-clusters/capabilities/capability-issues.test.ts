import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { capabilityIssues, upgradeIssues } from "./capability-issues.ts";
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
  { choice: {}, version: "4.20.4", reported: [] },
  { choice: { disabled: ["Console"] }, version: "4.20.4", reported: [] },
  { choice: { disabled: ["ImageRegistry"] }, version: "4.18.4", reported: [] },
  { choice: {}, version: undefined, reported: ["warning ReleaseUnknown spec.release.image"] },
  { choice: {}, version: "6.0.1", reported: ["warning ReleaseNotInTable spec.release.image"] },
  {
    choice: { disabled: ["ImageRegistry", "Console"], enabled: ["baremetal"] },
    version: "4.19.4",
    reported: [
      "warning CapabilityNotSupported spec.capabilities.disabled[1]",
      "warning CapabilityNotSupported spec.capabilities.enabled[0]",
    ],
  },
  {
    choice: { disabled: ["ImageRegistry"] },
    version: "4.17.4",
    reported: ["warning CapabilityNotSupported spec.capabilities.disabled[0]"],
  },
])("When $version has $choice, it should report $reported", ({ choice, version, reported }) => {
  expect(issuesOf(choice, version).map(({ severity, code, path }) => `${severity} ${code} ${path}`)).toEqual(
    reported,
  );
});

const about = { severity: "warning", object: { kind: "HostedCluster", namespace: "clusters", name: "shop" } };

test.for([
  {
    choice: {},
    version: undefined,
    issue: {
      code: "ReleaseUnknown",
      path: "spec.release.image",
      value: undefined,
      message:
        "the release is not known, so the capabilities are those of 5.2, the newest that hubrelay knows",
      remedy: "Set --release-version, or wait until status.version reports it.",
    },
  },
  {
    choice: {},
    version: "6.0.1",
    issue: {
      code: "ReleaseNotInTable",
      path: "spec.release.image",
      value: "6.0.1",
      message: "hubrelay knows the capabilities of releases up to 5.2, and uses those of 5.2 for 6.0.1",
      remedy: "What is new in the release stays off until hubrelay knows it; use a newer hubrelay.",
    },
  },
  {
    choice: { disabled: ["Console", "ImageRegistry"] },
    version: "4.19.4",
    issue: {
      code: "CapabilityNotSupported",
      path: "spec.capabilities.disabled[0]",
      value: "Console",
      message: "Console can be disabled from OpenShift 4.20 on, and this cluster has 4.19.4",
      remedy: "Expect parts of it to be present anyway, or create the cluster with a newer release.",
    },
  },
  {
    choice: { enabled: ["baremetal"] },
    version: "4.19.4",
    issue: {
      code: "CapabilityNotSupported",
      path: "spec.capabilities.enabled[0]",
      value: "baremetal",
      message: "baremetal can be enabled from OpenShift 4.20 on, and this cluster has 4.19.4",
      remedy: "Expect parts of it to be present anyway, or create the cluster with a newer release.",
    },
  },
  {
    choice: { disabled: ["ImageRegistry"] },
    version: "4.17.4",
    issue: {
      code: "CapabilityNotSupported",
      path: "spec.capabilities.disabled[0]",
      value: "ImageRegistry",
      message: "ImageRegistry can be disabled from OpenShift 4.18 on, and this cluster has 4.17.4",
      remedy: "Expect parts of it to be present anyway, or create the cluster with a newer release.",
    },
  },
])("When $version has $choice, it should report $issue.code", ({ choice, version, issue }) => {
  expect(issuesOf(choice, version)).toEqual([{ ...about, ...issue }]);
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

test("When the guest itself enables the required capability, a dependency should not be an error", () => {
  const guest = aGuest({
    known: ["Build", "marketplace"],
    additional: ["Build", "marketplace", "OperatorLifecycleManager"],
    enabled: ["OperatorLifecycleManager"],
  });
  expect(issuesOf({}, "4.20.4", guest)).toEqual([]);
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
    {
      enabled: ["Ingress", "ImageRegistry"],
      value: ["ImageRegistry", "Ingress"],
      message:
        "ImageRegistry, Ingress are on in the guest without being requested, ImageRegistry, Ingress although disabled",
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

test.for([
  {
    from: "4.20.1",
    to: "4.13.9",
    issue: {
      code: "BelowCapabilityRelease",
      value: ["Console", "ImageRegistry", "Ingress", "NodeTuning"],
      message:
        "Console, ImageRegistry, Ingress, NodeTuning cannot be disabled in 4.13.9: there it is always installed",
      remedy: "Stay at 4.20 or newer.",
    },
  },
  {
    from: "4.20.1",
    to: "4.11.9",
    issue: {
      code: "BelowCapabilityRelease",
      value: ["Console", "ImageRegistry", "Ingress", "NodeTuning"],
      message:
        "Console, ImageRegistry, Ingress, NodeTuning cannot be disabled in 4.11.9: there it is always installed",
      remedy: "Stay at 4.20 or newer.",
    },
  },
  {
    from: "4.13.9",
    to: "4.16.1",
    issue: {
      code: "StaysEnabled",
      value: ["Console", "ImageRegistry", "Ingress", "NodeTuning"],
      message:
        "Console, ImageRegistry, Ingress, NodeTuning stay on with 4.16.1: what 4.13.9 has installed is not removed",
      remedy: "Only a cluster created with 4.20 or newer is without it.",
    },
  },
  {
    from: "4.19.9",
    to: "4.21.1",
    choice: { disabled: ["Console", "NodeTuning"] },
    issue: {
      code: "StaysEnabled",
      value: ["Console", "NodeTuning"],
      message: "Console, NodeTuning stay on with 4.21.1: what 4.19.9 has installed is not removed",
      remedy: "Only a cluster created with 4.21 or newer is without it.",
    },
  },
])(
  "When $from becomes $to, several capabilities should be reported together",
  ({ from, to, issue, ...row }) => {
    const { choice = { disabled: ["NodeTuning", "Ingress", "Console", "ImageRegistry"] } } = row;
    expect(upgradeIssues(hostedCluster, choice, upgradeCapabilities({ choice, from, to }))).toEqual([
      { ...about, path: "spec.capabilities.disabled", ...issue },
    ]);
  },
);

test("When the present release is unknown, the message should name the guest", () => {
  const choice = { disabled: ["Console"] };
  const upgrade = upgradeCapabilities({ choice, to: "4.20.1", enabledInGuest: ["Console"] });
  expect(upgradeIssues(hostedCluster, choice, upgrade).map(({ message }) => message)).toEqual([
    "Console stays on with 4.20.1: what the guest has installed is not removed",
  ]);
});

test("When the new release refuses the choice, it should be an error before the upgrade", () => {
  const choice = { disabled: ["OperatorLifecycleManager"] };
  const upgrade = upgradeCapabilities({ choice, from: "4.20.1", to: "4.21.1" });
  expect(upgradeIssues(hostedCluster, choice, upgrade)).toMatchObject([
    { code: "MissingDependency", severity: "error", value: "marketplace" },
  ]);
});
