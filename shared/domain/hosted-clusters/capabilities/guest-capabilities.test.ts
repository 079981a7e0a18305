import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { capabilityDifferences, readGuestCapabilities } from "./cluster-version-capabilities.ts";

const aClusterVersion = (spec: unknown, status: unknown): KubernetesObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterVersion",
  metadata: { name: "version" },
  spec,
  status,
});
const reported = (additional: readonly string[], enabled: readonly string[]) =>
  readGuestCapabilities(
    aClusterVersion(
      { capabilities: { baselineCapabilitySet: "None", additionalEnabledCapabilities: additional } },
      { capabilities: { knownCapabilities: ["Build", "Console"], enabledCapabilities: enabled } },
    ),
  );

test("When a ClusterVersion is whole, it should be read", () => {
  expect(reported(["Build"], ["Build", "Console"])).toEqual({
    baseline: "None",
    additional: ["Build"],
    known: ["Build", "Console"],
    enabled: ["Build", "Console"],
  });
});

test.for([
  { spec: undefined, status: undefined },
  { spec: { capabilities: "all" }, status: { capabilities: [] } },
  { spec: { capabilities: { baselineCapabilitySet: 4 } }, status: { capabilities: 4 } },
  {
    spec: { capabilities: { additionalEnabledCapabilities: [1] } },
    status: { capabilities: { knownCapabilities: "Build" } },
  },
])("When a ClusterVersion has $spec and $status, it should be read as empty", ({ spec, status }) => {
  expect(readGuestCapabilities(aClusterVersion(spec, status))).toEqual({
    baseline: undefined,
    additional: [],
    known: [],
    enabled: [],
  });
});

const written = {
  baselineCapabilitySet: "None",
  additionalEnabledCapabilities: ["Console", "Build"],
} as const;

test.for([
  { name: "it is as written", guest: reported(["Build", "Console"], ["Console", "Build"]), differences: [] },
  {
    name: "it requests something else",
    guest: reported(["Build", "Insights"], ["Build", "Insights"]),
    differences: [
      "ClusterVersion does not enable Console.",
      "ClusterVersion enables Insights, which the HostedCluster does not request.",
    ],
  },
  {
    name: "it keeps something on",
    guest: reported(["Build", "Console"], ["Build", "Console", "Storage"]),
    differences: [],
  },
  {
    name: "it has another baseline",
    guest: { ...reported(["Build", "Console"], []), baseline: "vCurrent" },
    differences: ["ClusterVersion does not have the baseline None."],
  },
  {
    name: "it has no field",
    guest: readGuestCapabilities(aClusterVersion({}, {})),
    differences: ["ClusterVersion does not enable Build, Console."],
  },
])("When a control plane writes capabilities and $name, $differences should be reported", (row) => {
  expect(capabilityDifferences(written, row.guest)).toEqual(row.differences);
});

test("When a control plane writes null, no list should differ from it", () => {
  const nothing = { baselineCapabilitySet: "None", additionalEnabledCapabilities: null } as const;
  expect(capabilityDifferences(nothing, reported([], []))).toEqual([]);
});

test("When a control plane leaves the field out, any content should be reported", () => {
  const remains = [
    "ClusterVersion has spec.capabilities, which the control plane of this release leaves out.",
  ];
  expect(capabilityDifferences(null, readGuestCapabilities(aClusterVersion({}, {})))).toEqual([]);
  expect(capabilityDifferences(null, reported([], []))).toEqual(remains);
  expect(capabilityDifferences(null, { ...reported(["Build"], []), baseline: undefined })).toEqual(remains);
});
