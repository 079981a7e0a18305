import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRelease } from "../../openshift/releases/release.ts";
import { aReadHostedCluster, defaultCapabilities } from "../fixtures.ts";
import {
  type CapabilityChoice,
  capabilitySet,
  capabilitySince,
  enabledCapabilities,
  isRegistryOmitted,
  readCapabilityChoice,
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
  expect(writtenCapabilities({ ...input, version: "4.20.3" })).toEqual(capabilities);
});

test("When the guest knows none of the names, it should be null", () => {
  const input = { choice: {}, version: "4.20.1", knownToGuest: ["x"] };
  expect(writtenCapabilities(input)?.additionalEnabledCapabilities).toBeNull();
  expect(enabledCapabilities(input)).toEqual([]);
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
    const of = (choice: CapabilityChoice) =>
      writtenCapabilities({ choice, version })?.additionalEnabledCapabilities;
    expect(of({})).toEqual(names.whole);
    expect(of(noRegistry)).toEqual(names.choice);
  },
);

test.for([
  { version: "4.10.3", names: [] },
  { version: "4.11.0", names: ["baremetal", "marketplace", "openshift-samples"] },
  { version: "4.17.5", names: withBaremetal(in417) },
  { version: "4.18.5", names: withBaremetal(defaultCapabilities) },
])("When a control plane of $version leaves the field out, its release has all on", ({ version, names }) => {
  const choice = { disabled: ["Console"] };
  expect(enabledCapabilities({ choice, version })).toEqual(names);
  expect(writtenCapabilities({ choice, version })).toBeNull();
});

test.for([
  [undefined, "5.2", "newest", 19],
  ["5.3", "5.2", "newest", 19],
  ["5.2", "5.2", "release", 19],
  ["5.0", "5.0", "release", 19],
  ["4.23", "4.23", "release", 19],
  ["4.22", "4.22", "release", 17],
  ["4.10", "4.10", "release", 0],
] as const)(
  "When the set of %s is requested, it should be of %s (%s), with %i names",
  ([version, of, basis, size]) => {
    const { names, ...found } = capabilitySet(parseRelease(version));
    expect(found).toEqual({ of, basis });
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
  fc.assert(
    fc.property(list, list, (enabled, disabled) => {
      const straight = writtenCapabilities({ choice: { enabled, disabled }, version: "4.20.1" });
      const turned = { enabled: [...enabled, ...enabled].reverse(), disabled: disabled.toReversed() };
      expect(writtenCapabilities({ choice: turned, version: "4.20.1" })).toEqual(straight);
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

test.for([
  { versions: ["4.17.9"], omitted: false },
  { versions: ["4.18.9"], omitted: true },
  { versions: ["4.19.9", "4.18.9"], omitted: true },
  { versions: ["4.17.9", "4.18.9"], omitted: undefined },
  { versions: [undefined], omitted: true },
  { versions: ["latest"], omitted: true },
])("When the control planes of $versions may run, a disabled registry should be omitted: $omitted", (row) => {
  const [controlPlaneVersion, ...others] = row.versions;
  const begunVersions = others.filter((version) => version !== undefined);
  const cluster = { ...aReadHostedCluster(), controlPlaneVersion, begunVersions };
  const capabilities = { disabled: ["Console", "ImageRegistry"] };
  expect(isRegistryOmitted({ ...cluster, capabilities })).toBe(row.omitted);
  expect(isRegistryOmitted({ ...cluster, capabilities: { disabled: ["Console"] } })).toBe(false);
});
