import fc from "fast-check";
import { expect, test } from "vitest";
import { capabilityForms } from "../facts/capability-forms.ts";
import { aReadHostedCluster, defaultCapabilities } from "../fixtures.ts";
import {
  type CapabilityChoice,
  capabilitySet,
  capabilitySince,
  omittedCapabilities,
  readCapabilityChoice,
  resolveCapabilities,
  writtenCapabilities,
} from "./cluster-version-capabilities.ts";

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
  expect(writtenCapabilities({ ...input, version: "4.20.3" })).toEqual(capabilities);
});

test("When the guest knows none of the names, HyperShift should write null and hubrelay an empty list", () => {
  const input = { choice: {}, version: "4.20.1", knownToGuest: ["x"] };
  expect(resolveCapabilities(input, { compat: "hypershift" }).additionalEnabledCapabilities).toBeNull();
  expect(resolveCapabilities(input).additionalEnabledCapabilities).toEqual([]);
});

const in417 = without("OperatorLifecycleManagerV1");
const noRegistry = { disabled: ["ImageRegistry", "Console"], enabled: ["baremetal"] };
const withoutRegistry = (names: readonly string[]) =>
  names.filter((name) => !noRegistry.disabled.includes(name));

test.for([
  { version: "4.10.3", whole: undefined, choice: undefined },
  { version: "4.14.5", whole: undefined, choice: undefined },
  { version: "4.17.5", whole: undefined, choice: undefined },
  { version: "4.18.5", whole: undefined, choice: withoutRegistry(withBaremetal(in417)) },
  { version: "4.19.5", whole: undefined, choice: withoutRegistry(withBaremetal(defaultCapabilities)) },
  ...["4.20.5", "4.22.0", "4.23.0-ec.1", "5.1.2", "7.0.0", "latest", undefined].map((version) => ({
    version,
    whole: defaultCapabilities,
    choice: withoutRegistry(withBaremetal(defaultCapabilities)),
  })),
])(
  "When the release is $version, it should be written as its control plane does",
  ({ version, ...names }) => {
    for (const compat of [undefined, "hypershift"] as const) {
      const of = (choice: CapabilityChoice) => writtenCapabilities({ choice, version }, { compat });
      expect(of({})?.additionalEnabledCapabilities).toEqual(names.whole);
      expect(of(noRegistry)?.additionalEnabledCapabilities).toEqual(names.choice);
    }
  },
);

test.for([
  { version: "4.10.3", names: [] },
  { version: "4.11.0", names: ["baremetal", "marketplace", "openshift-samples"] },
  { version: "4.17.5", names: withBaremetal(in417) },
  { version: "4.18.5", names: withBaremetal(defaultCapabilities) },
])("When a control plane of $version leaves the field out, its release has all on", ({ version, names }) => {
  expect(resolveCapabilities({ choice: { disabled: ["Console"] }, version })).toEqual({
    baselineCapabilitySet: "vCurrent",
    additionalEnabledCapabilities: names,
  });
});

test("When the rows of the table are read, they should be in order, and name their source", () => {
  const rows = capabilityForms.map(({ since }) => since.major * 100 + since.minor);
  expect(rows).toEqual(rows.toSorted((a, b) => a - b));
  for (const { source } of capabilityForms) {
    expect(source.branch).toMatch(/^release-\d+\.\d+$/);
    expect(source.line).toBeGreaterThan(0);
  }
});

test("When a release does not know an enabled capability, it should not be requested", () => {
  const choice = { enabled: ["ClusterAPI", "baremetal", "NotACapability"] };
  const { additionalEnabledCapabilities: names } = resolveCapabilities({ choice, version: "4.20.1" });
  expect(names).toContain("baremetal");
  expect(names).not.toContain("ClusterAPI");
  expect(names).not.toContain("NotACapability");
});

test.for([
  [undefined, { of: "5.2", basis: "newest", size: 19 }],
  [
    { major: 5, minor: 3 },
    { of: "5.2", basis: "newest", size: 19 },
  ],
  [
    { major: 5, minor: 2 },
    { of: "5.2", basis: "release", size: 19 },
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

const disabled = ["Console", "ImageRegistry", "Ingress"];
const capabilities = { disabled };

test.for([
  { versions: ["4.17.9"], omitted: [], undecided: [] },
  { versions: ["4.18.9"], omitted: ["ImageRegistry"], undecided: [] },
  { versions: ["4.19.9", "4.18.9"], omitted: ["ImageRegistry"], undecided: [] },
  { versions: ["4.20.4"], omitted: disabled, undecided: [] },
  { versions: ["4.17.9", "4.18.9"], omitted: [], undecided: ["ImageRegistry"] },
  { versions: ["4.18.9", "4.20.4"], omitted: ["ImageRegistry"], undecided: ["Console", "Ingress"] },
  { versions: ["4.20.4", "4.19.9"], omitted: ["ImageRegistry"], undecided: ["Console", "Ingress"] },
  { versions: [undefined], omitted: disabled, undecided: [] },
  { versions: ["latest"], omitted: disabled, undecided: [] },
])("When the control planes of $versions may run, they should omit $omitted", ({ versions, ...expected }) => {
  const [controlPlaneVersion, ...others] = versions;
  const begunVersions = others.filter((version) => version !== undefined);
  expect(
    omittedCapabilities({ ...aReadHostedCluster(), capabilities, controlPlaneVersion, begunVersions }),
  ).toEqual(expected);
});
