import { expect, test } from "vitest";
import { upgradeCapabilities } from "./upgrade.ts";

const nothing = { appear: [], stayDisabled: [], stayEnabled: [], stayOff: [], comeBack: [] };
const off = (...disabled: readonly string[]) => ({ choice: { disabled } });
const noRegistry = off("ImageRegistry");
const twice = { choice: { disabled: ["ImageRegistry"], enabled: ["ImageRegistry"] } };

type Input = Omit<Parameters<typeof upgradeCapabilities>[0], "from" | "to">;
type Found = Partial<Record<keyof typeof nothing | "loses", readonly string[]>>;
const new14 = ["Build", "DeploymentConfig", "MachineAPI"];
const withRegistry = ["Build", "DeploymentConfig", "ImageRegistry", "MachineAPI"];
const newOnes = ["ClusterAPI", "CompatibilityRequirements"];
const [registry, olm] = [["ImageRegistry"], ["OperatorLifecycleManagerV1"]];
const both = off("ImageRegistry", "Console");
const two = ["Console", "NodeTuning"];

test.for<readonly [why: string, input: Input, releases: string, direction: string, found: Found]>([
  ["nothing is disabled", off(), "4.16.3 4.18.1", "upgrade", { appear: olm }],
  ["both releases can be without it", noRegistry, "4.20.3 4.21.1", "upgrade", { stayDisabled: registry }],
  ["its release decides", off(...two), "4.18.3 4.20.1", "upgrade", { stayEnabled: [...two, "baremetal"] }],
  [
    "the present control plane omits the registry, and its list has baremetal but not what is new",
    both,
    "4.18.3 4.20.1",
    "upgrade",
    { stayDisabled: ["Console", "ImageRegistry"], stayEnabled: ["baremetal"] },
  ],
  ["the older release decides", off("Console"), "4.20.3 4.19.1", "downgrade", { comeBack: ["Console"] }],
  [
    "the older release has fewer",
    off("Ingress"),
    "4.20.3 4.15.1",
    "downgrade",
    { loses: ["CloudControllerManager", ...olm], stayEnabled: [], comeBack: ["Ingress"] },
  ],
  ["4.13 has no such", noRegistry, "4.13.3 4.14.1", "upgrade", { appear: new14, stayEnabled: registry }],
  ["what is new is off in hosted clusters", off(), "4.22.3 5.0.1", "upgrade", { stayOff: newOnes }],
  [
    "the older release always has what is disabled",
    off("Console", "Ingress"),
    "4.16.3 4.15.1",
    "downgrade",
    { stayEnabled: ["Console"], comeBack: ["Ingress"] },
  ],
  ["a disabled name is not a capability", off("Telepathy"), "4.20.3 4.19.1", "downgrade", {}],
  ["the present release is unknown", noRegistry, " 4.20.9", "unknown", { stayDisabled: registry }],
  [
    "the new version cannot be read",
    noRegistry,
    "4.20.1 latest",
    "unknown",
    { stayDisabled: registry, stayOff: newOnes },
  ],
  ["a name is enabled and disabled", twice, "4.13.1 4.14.1", "upgrade", { appear: withRegistry }],
])("When $0, it should report what the upgrade does", ([, input, releases, direction, found]) => {
  const [from, to = ""] = releases.split(" ");
  const upgrade = upgradeCapabilities({ ...input, ...(from ? { from } : {}), to });
  expect(upgrade).toMatchObject({ ...nothing, ...found, direction, from: from || null, to });
});
