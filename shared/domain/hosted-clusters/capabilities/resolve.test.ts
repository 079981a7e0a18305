import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultCapabilities } from "../fixtures.ts";
import { capabilitySet, capabilitySince } from "./capability-sets.ts";
import { readCapabilityChoice, resolveCapabilities } from "./resolve.ts";

const without = (...names: readonly string[]) => defaultCapabilities.filter((name) => !names.includes(name));
const withBaremetal = (names: readonly string[]) => [...names, "baremetal"].sort();

test.for([
  { choice: {}, names: defaultCapabilities },
  { choice: { disabled: ["ImageRegistry"] }, names: without("ImageRegistry") },
  { choice: { disabled: ["Console", "Ingress"] }, names: without("Console", "Ingress") },
  {
    choice: { disabled: ["openshift-samples"], enabled: ["baremetal"] },
    names: withBaremetal(without("openshift-samples")),
  },
  { choice: { enabled: ["baremetal"] }, names: withBaremetal(defaultCapabilities) },
  { choice: { disabled: ["baremetal"] }, names: defaultCapabilities },
  { choice: { disabled: ["ImageRegistry"], enabled: ["ImageRegistry"] }, names: defaultCapabilities },
  { choice: { disabled: [], enabled: [] }, names: defaultCapabilities },
  { choice: { disabled: ["Console", "Console"] }, names: without("Console") },
  {
    choice: { disabled: ["ImageRegistry"] },
    knownToGuest: ["Build", "Console", "ImageRegistry", "baremetal"],
    names: ["Build", "Console"],
  },
  { choice: {}, knownToGuest: ["baremetal", "marketplace", "Build"], names: ["Build", "marketplace"] },
  { choice: {}, knownToGuest: [], names: defaultCapabilities },
])("When spec.capabilities is $choice, it should be $names, as HyperShift has it", ({ names, ...input }) => {
  const capabilities = { baselineCapabilitySet: "None", additionalEnabledCapabilities: names };
  expect(resolveCapabilities(input, { compat: "hypershift" })).toEqual(capabilities);
  expect(resolveCapabilities({ ...input, version: "4.18.3", knownToGuest: input.knownToGuest })).toEqual(
    capabilities,
  );
});

test("When the guest knows none of the names, HyperShift should write null and hubrelay an empty list", () => {
  const input = { choice: {}, version: "4.20.1", knownToGuest: ["x"] };
  expect(resolveCapabilities(input, { compat: "hypershift" }).additionalEnabledCapabilities).toBeNull();
  expect(resolveCapabilities(input).additionalEnabledCapabilities).toEqual([]);
});

test("When the release is older, HyperShift should still take the newest set", () => {
  const input = { choice: {}, version: "4.14.9" };
  expect(resolveCapabilities(input, { compat: "hypershift" }).additionalEnabledCapabilities).toEqual(
    defaultCapabilities,
  );
});

test.for([
  ["4.10.3", []],
  ["4.11.0", ["marketplace", "openshift-samples"]],
  ["4.12.5", ["CSISnapshot", "Console", "Insights", "Storage", "marketplace", "openshift-samples"]],
  [
    "4.13.5",
    ["CSISnapshot", "Console", "Insights", "NodeTuning", "Storage", "marketplace", "openshift-samples"],
  ],
  [
    "4.14.5",
    without(
      "CloudControllerManager",
      "CloudCredential",
      "Ingress",
      "OperatorLifecycleManager",
      "OperatorLifecycleManagerV1",
    ),
  ],
  ["4.15.5", without("CloudControllerManager", "Ingress", "OperatorLifecycleManagerV1")],
  ["4.16.5", without("OperatorLifecycleManagerV1")],
  ["4.17.5", without("OperatorLifecycleManagerV1")],
  ["4.18.5", defaultCapabilities],
  ["4.22.0", defaultCapabilities],
  ["4.23.0-ec.1", defaultCapabilities],
  ["5.1.2", defaultCapabilities],
  ["7.0.0", defaultCapabilities],
  ["latest", defaultCapabilities],
] as const)("When the release is %s, it should have the capabilities of that release", ([version, names]) => {
  expect(resolveCapabilities({ choice: {}, version }).additionalEnabledCapabilities).toEqual(names);
});

test("When a release does not know an enabled capability, it should not be requested", () => {
  const choice = { enabled: ["Ingress", "baremetal", "NotACapability"] };
  const { additionalEnabledCapabilities: names } = resolveCapabilities({ choice, version: "4.15.1" });
  expect(names).toContain("baremetal");
  expect(names).not.toContain("Ingress");
  expect(names).not.toContain("NotACapability");
});

test.for([
  [undefined, { of: "5.1", basis: "newest", size: 19 }],
  [
    { major: 5, minor: 2 },
    { of: "5.1", basis: "newest", size: 19 },
  ],
  [
    { major: 5, minor: 1 },
    { of: "5.1", basis: "release", size: 19 },
  ],
  [
    { major: 5, minor: 0 },
    { of: "5.0", basis: "release", size: 19 },
  ],
  [
    { major: 4, minor: 22 },
    { of: "4.22", basis: "release", size: 17 },
  ],
  [
    { major: 4, minor: 10 },
    { of: "4.10", basis: "release", size: 0 },
  ],
] as const)(
  "When the set of %o is requested, it should name its release: %o",
  ([release, { size, ...basis }]) => {
    const { names, ...found } = capabilitySet(release);
    expect(found).toEqual(basis);
    expect(names).toHaveLength(size);
    expect(names).toEqual([...names].sort());
  },
);

test("When a component became a capability, its first release should be known", () => {
  expect(capabilitySince("ImageRegistry")).toEqual({ major: 4, minor: 14 });
  expect(capabilitySince("imageregistry")).toBeUndefined();
});

test("When lists are reordered or repeat a name, it should make no difference", () => {
  const allowed = [
    "ImageRegistry",
    "openshift-samples",
    "Insights",
    "baremetal",
    "Console",
    "NodeTuning",
    "Ingress",
  ];
  const list = fc.array(fc.constantFrom(...allowed), { maxLength: 9 });
  const compat = fc.constantFrom(undefined, "hypershift" as const);
  fc.assert(
    fc.property(list, list, compat, (enabled, disabled, compat) => {
      const straight = resolveCapabilities({ choice: { enabled, disabled }, version: "4.20.1" }, { compat });
      const turned = { enabled: [...enabled, ...enabled].reverse(), disabled: disabled.toReversed() };
      expect(resolveCapabilities({ choice: turned, version: "4.20.1" }, { compat })).toEqual(straight);
    }),
  );
});

test.for([
  { written: undefined, enabled: [], disabled: [] },
  { written: {}, enabled: [], disabled: [] },
  { written: "none", enabled: [], disabled: [] },
  { written: { enabled: "baremetal", disabled: {} }, enabled: [], disabled: [] },
  {
    written: { enabled: ["baremetal", 1], disabled: [null, "Console"] },
    enabled: ["baremetal"],
    disabled: ["Console"],
  },
])("When spec.capabilities is $written, the names in it should be read", ({ written, ...choice }) => {
  expect(readCapabilityChoice(written)).toEqual(choice);
});
