import { expect, test } from "vitest";
import { upgradeCapabilities } from "./upgrade.ts";

const nothing = { appear: [], stayDisabled: [], stayEnabled: [], stayOff: [], comeBack: [] };
const noRegistry = { disabled: ["ImageRegistry"] };

test.for([
  {
    name: "nothing is disabled",
    input: { choice: {}, from: "4.16.3", to: "4.18.1" },
    result: { ...nothing, direction: "upgrade", appear: ["OperatorLifecycleManagerV1"] },
  },
  {
    name: "the registry is disabled and both releases have the capability",
    input: { choice: noRegistry, from: "4.20.3", to: "4.21.1" },
    result: { ...nothing, direction: "upgrade", stayDisabled: ["ImageRegistry"] },
  },
  {
    name: "the present control plane leaves the capabilities to its release",
    input: { choice: { disabled: ["Console", "NodeTuning"] }, from: "4.18.3", to: "4.20.1" },
    result: { ...nothing, direction: "upgrade", stayEnabled: ["Console", "NodeTuning", "baremetal"] },
  },
  {
    name: "the present control plane omits the registry, and its list has baremetal but not what is new",
    input: { choice: { disabled: ["ImageRegistry", "Console"] }, from: "4.18.3", to: "4.20.1" },
    result: {
      ...nothing,
      direction: "upgrade",
      stayDisabled: ["Console", "ImageRegistry"],
      stayEnabled: ["baremetal"],
    },
  },
  {
    name: "the older control plane leaves the capabilities to its release",
    input: { choice: { disabled: ["Console"] }, from: "4.20.3", to: "4.19.1" },
    result: { ...nothing, direction: "downgrade", comeBack: ["Console"] },
  },
  {
    name: "the present release has no capability for the registry",
    input: { choice: noRegistry, from: "4.13.3", to: "4.14.1" },
    result: {
      ...nothing,
      direction: "upgrade",
      appear: ["Build", "DeploymentConfig", "MachineAPI"],
      stayEnabled: ["ImageRegistry"],
    },
  },
  {
    name: "the guest has the disabled registry on",
    input: { choice: noRegistry, from: "4.18.3", to: "4.20.1", enabledInGuest: ["Build", "ImageRegistry"] },
    result: { ...nothing, direction: "upgrade", stayEnabled: ["ImageRegistry"] },
  },
  {
    name: "the new release has capabilities that are off in hosted clusters",
    input: { choice: {}, from: "4.22.3", to: "5.0.1" },
    result: { ...nothing, direction: "upgrade", stayOff: ["ClusterAPI", "CompatibilityRequirements"] },
  },
  {
    name: "the older release always has what is disabled",
    input: { choice: { disabled: ["Console", "Ingress"] }, from: "4.16.3", to: "4.15.1" },
    result: { ...nothing, direction: "downgrade", stayEnabled: ["Console"], comeBack: ["Ingress"] },
  },
  {
    name: "a disabled name is not a capability",
    input: { choice: { disabled: ["Telepathy"] }, from: "4.20.3", to: "4.19.1" },
    result: { ...nothing, direction: "downgrade" },
  },
  {
    name: "the present release is unknown",
    input: { choice: noRegistry, to: "4.20.9" },
    result: { ...nothing, direction: "unknown", stayDisabled: ["ImageRegistry"] },
  },
  {
    name: "the new version cannot be read",
    input: { choice: noRegistry, from: "4.20.1", to: "latest" },
    result: {
      ...nothing,
      direction: "unknown",
      stayDisabled: ["ImageRegistry"],
      stayOff: ["ClusterAPI", "CompatibilityRequirements"],
    },
  },
  {
    name: "a name is enabled and disabled",
    input: {
      choice: { ...noRegistry, enabled: ["ImageRegistry"] },
      from: "4.13.1",
      to: "4.14.1",
    },
    result: {
      ...nothing,
      direction: "upgrade",
      appear: ["Build", "DeploymentConfig", "ImageRegistry", "MachineAPI"],
    },
  },
])("When $name, it should report what the upgrade does", ({ input, result }) => {
  expect(upgradeCapabilities(input)).toMatchObject({ ...result, from: input.from ?? null, to: input.to });
});

test.for([
  {
    name: "the new release has more capabilities",
    input: { choice: noRegistry, from: "4.13.3", to: "4.14.1" },
    gains: ["Build", "DeploymentConfig", "MachineAPI"],
    loses: [],
    keeps: "ImageRegistry",
  },
  {
    name: "the older release always installs what is disabled",
    input: { choice: { disabled: ["Ingress"] }, from: "4.20.3", to: "4.15.1" },
    gains: ["Ingress", "baremetal"],
    loses: ["CloudControllerManager", "OperatorLifecycleManagerV1"],
    keeps: "Console",
  },
  {
    name: "the present control plane does not know a capability of its release",
    input: { choice: noRegistry, from: "4.18.3", to: "4.20.1" },
    gains: ["OperatorLifecycleManagerV1"],
    loses: [],
    keeps: "baremetal",
  },
  {
    name: "a disabled component becomes no capability yet",
    input: { choice: { disabled: ["Ingress"] }, from: "4.13.3", to: "4.14.1" },
    gains: ["Build", "DeploymentConfig", "ImageRegistry", "MachineAPI"],
    loses: [],
    keeps: "Ingress",
  },
])("When $name, each capability should be gained, lost or kept", ({ input, gains, loses, keeps }) => {
  const upgrade = upgradeCapabilities(input);
  expect([upgrade.gains, upgrade.loses]).toEqual([gains, loses]);
  expect(upgrade.keeps).toContain(keeps);
  const all = [...upgrade.gains, ...upgrade.loses, ...upgrade.keeps];
  expect(new Set(all).size).toBe(all.length);
});
