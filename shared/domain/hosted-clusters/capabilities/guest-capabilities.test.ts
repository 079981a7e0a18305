import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { compareWithGuest, readGuestCapabilities } from "./guest-capabilities.ts";

const aClusterVersion = (spec: unknown, status: unknown): KubernetesObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterVersion",
  metadata: { name: "version" },
  spec,
  status,
});
const reported = (additional: readonly string[], enabled: readonly string[], version = "4.20.4") =>
  readGuestCapabilities(
    aClusterVersion(
      { capabilities: { baselineCapabilitySet: "None", additionalEnabledCapabilities: additional } },
      {
        desired: { version },
        capabilities: { knownCapabilities: ["Build", "Console"], enabledCapabilities: enabled },
      },
    ),
  );

test("When a ClusterVersion is whole, it should be read", () => {
  expect(reported(["Build"], ["Build", "Console"])).toEqual({
    baseline: "None",
    additional: ["Build"],
    known: ["Build", "Console"],
    enabled: ["Build", "Console"],
    version: "4.20.4",
  });
});

test.for([
  { spec: undefined, status: undefined },
  { spec: { capabilities: "all" }, status: { capabilities: [], desired: "4.20" } },
  { spec: { capabilities: { baselineCapabilitySet: 4 } }, status: { desired: { version: 4 } } },
  {
    spec: { capabilities: { additionalEnabledCapabilities: [1] } },
    status: { capabilities: { knownCapabilities: "Build" }, desired: { version: "" } },
  },
])("When a ClusterVersion has $spec and $status, it should be read as empty", ({ spec, status }) => {
  expect(readGuestCapabilities(aClusterVersion(spec, status))).toEqual({
    baseline: undefined,
    additional: [],
    known: [],
    enabled: [],
    version: undefined,
  });
});

test.for([
  {
    name: "everything is as desired",
    guest: reported(["Build", "Console"], ["Console", "Build"]),
    drift: { missing: [], unwanted: [], implicitlyEnabled: [] },
  },
  {
    name: "the guest requests something else",
    guest: reported(["Build", "Insights"], ["Build", "Insights"]),
    drift: { missing: ["Console"], unwanted: ["Insights"], implicitlyEnabled: [] },
  },
  {
    name: "the guest requests nothing of it",
    guest: reported(["Storage", "Insights"], []),
    drift: { missing: ["Build", "Console"], unwanted: ["Insights", "Storage"], implicitlyEnabled: [] },
  },
  {
    name: "the guest keeps something on",
    guest: reported(["Build", "Console"], ["Build", "Console", "Storage", "ImageRegistry"]),
    drift: { missing: [], unwanted: [], implicitlyEnabled: ["ImageRegistry", "Storage"] },
  },
  {
    name: "an older control plane requests baremetal, which it has by default",
    guest: reported(["Build", "Console", "baremetal"], [], "4.19.7"),
    drift: { missing: [], unwanted: [], implicitlyEnabled: [] },
  },
  {
    name: "an older control plane requests something else",
    guest: reported(["Build", "Console", "Insights"], [], "4.19.7"),
    drift: { missing: [], unwanted: ["Insights"], implicitlyEnabled: [] },
  },
  {
    name: "a guest of an unknown version requests baremetal",
    guest: reported(["Build", "Console", "baremetal"], [], ""),
    drift: { missing: [], unwanted: ["baremetal"], implicitlyEnabled: [] },
  },
  {
    name: "a newer control plane requests baremetal",
    guest: reported(["Build", "Console", "baremetal"], []),
    drift: { missing: [], unwanted: ["baremetal"], implicitlyEnabled: [] },
  },
  {
    name: "the guest has another baseline",
    guest: { ...reported(["Build", "Console"], ["Build", "Console", "Storage"]), baseline: "vCurrent" },
    drift: { missing: [], unwanted: [], implicitlyEnabled: [] },
  },
])("When $name, it should report the difference", ({ guest, drift }) => {
  expect(compareWithGuest(["Console", "Build"], guest)).toEqual(drift);
});
