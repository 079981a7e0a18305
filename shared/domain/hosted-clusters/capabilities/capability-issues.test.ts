import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { capabilityIssues, upgradeIssues } from "./capability-issues.ts";
import type { GuestCapabilities } from "./guest-capabilities.ts";
import { type CapabilityChoice, resolveCapabilities } from "./resolve.ts";
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
  version: "4.20.4",
  ...fields,
});

function issuesOf(choice: CapabilityChoice, version: string | undefined, guest?: GuestCapabilities) {
  const knownToGuest = guest?.known;
  const capabilities = resolveCapabilities({ choice, version, knownToGuest });
  return capabilityIssues({ hostedCluster, choice, version, capabilities, guest });
}

test.for([
  { choice: {}, version: "4.20.4", told: [] },
  { choice: { disabled: ["Console"] }, version: "4.20.4", told: [] },
  { choice: { disabled: ["ImageRegistry"] }, version: "4.18.4", told: [] },
  { choice: {}, version: undefined, told: ["warning ReleaseUnknown spec.release.image"] },
  { choice: {}, version: "6.0.1", told: ["warning ReleaseNotInTable spec.release.image"] },
  {
    choice: { disabled: ["ImageRegistry", "Console"], enabled: ["baremetal"] },
    version: "4.19.4",
    told: [
      "warning CapabilityNotSupported spec.capabilities.disabled[1]",
      "warning CapabilityNotSupported spec.capabilities.enabled[0]",
    ],
  },
  {
    choice: { disabled: ["ImageRegistry"] },
    version: "4.17.4",
    told: ["warning CapabilityNotSupported spec.capabilities.disabled[0]"],
  },
])("When $version has $choice, it should tell $told", ({ choice, version, told }) => {
  expect(issuesOf(choice, version).map(({ severity, code, path }) => `${severity} ${code} ${path}`)).toEqual(
    told,
  );
});

test("When the guest knows marketplace but not what it requires, it should be an error that names both", () => {
  const [issue, ...others] = issuesOf({}, "4.20.4", aGuest({ known: ["Build", "marketplace"] }));
  expect(others).toEqual([]);
  expect(issue).toMatchObject({
    code: "MissingDependency",
    severity: "error",
    object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
    message: expect.stringMatching(/`marketplace` capability requires the `OperatorLifecycleManager`/),
  });
});

test.for([
  { fields: { known: ["Build", "Telepathy"] }, code: "CapabilityNotInTable", message: /knows Telepathy,/ },
  {
    fields: { enabled: ["Build", "Console"], additional: ["Build"] },
    code: "ImplicitlyEnabled",
    message: /^Console is on in the guest without being asked for$/,
  },
  {
    fields: { enabled: ["Build", "ImageRegistry", "Insights"], additional: ["Build"] },
    code: "ImplicitlyEnabled",
    message: /^ImageRegistry, Insights are on in the guest .*, ImageRegistry although disabled$/,
  },
])("When the guest has $fields, it should tell $code", ({ fields, code, message }) => {
  expect(issuesOf({ disabled: ["ImageRegistry"] }, "4.20.4", aGuest(fields))).toEqual([
    expect.objectContaining({ code, severity: "warning", message: expect.stringMatching(message) }),
  ]);
});

test.for([
  {
    from: "4.13.2",
    to: "4.14.1",
    told: ["StaysEnabled: ImageRegistry stays on with 4.14.1: what 4.13.2 has installed is not removed"],
  },
  {
    from: "4.14.2",
    to: "4.13.1",
    told: [
      "BelowCapabilityRelease: ImageRegistry cannot be disabled in 4.13.1: there it is always installed",
    ],
  },
  { from: "4.18.1", to: "4.19.1", told: [] },
  {
    from: "5.1.0",
    to: "5.2.0",
    told: [
      "ReleaseNotInTable: hubrelay knows the capabilities of releases up to 5.1, and takes those of 5.1 for 5.2.0",
    ],
  },
])("When $from becomes $to with the registry disabled, it should tell $told", ({ from, to, told }) => {
  const choice = { disabled: ["ImageRegistry"] };
  const issues = upgradeIssues(hostedCluster, choice, upgradeCapabilities({ choice, from, to }));
  expect(issues.map(({ code, message }) => `${code}: ${message}`)).toEqual(told);
  expect(issues.every(({ severity }) => severity === "warning")).toBe(true);
});

test("When a downgrade crosses several capabilities, it should name the oldest release that keeps them off", () => {
  const choice = { disabled: ["Ingress", "Console", "ImageRegistry"] };
  const issues = upgradeIssues(
    hostedCluster,
    choice,
    upgradeCapabilities({ choice, from: "4.20.1", to: "4.13.9" }),
  );
  expect(issues).toEqual([
    expect.objectContaining({
      code: "BelowCapabilityRelease",
      value: ["ImageRegistry", "Ingress"],
      remedy: "Stay at 4.16 or newer.",
    }),
  ]);
});
