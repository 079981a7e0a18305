import { expect, test } from "vitest";
import { type CapabilityUpgrade, upgradeCapabilities } from "./upgrade.ts";

const nothing = { gains: [], loses: [], stayEnabled: [], comeBack: [] };
const off = (...disabled: readonly string[]) => ({ disabled });
const noRegistry = off("ImageRegistry");
const twice = { disabled: ["ImageRegistry"], enabled: ["ImageRegistry"] };

type Choice = Parameters<typeof upgradeCapabilities>[0]["choice"];
const new14 = ["Build", "DeploymentConfig", "MachineAPI"];
const withRegistry = ["Build", "DeploymentConfig", "ImageRegistry", "MachineAPI"];
const olm = ["OperatorLifecycleManagerV1"];
const two = ["Console", "NodeTuning"];
const older = { gains: ["Ingress", "baremetal"], loses: ["CloudControllerManager", ...olm] };

test.for<readonly [why: string, choice: Choice, releases: string, found: Partial<CapabilityUpgrade>]>([
  ["nothing is disabled", off(), "4.16.3 4.18.1", { gains: olm }],
  ["both releases can be without it", noRegistry, "4.20.3 4.21.1", {}],
  ["its release decides", off(...two), "4.18.3 4.20.1", { stayEnabled: [...two, "baremetal"] }],
  [
    "the present control plane omits the registry, and its list has baremetal but not what is new",
    off("ImageRegistry", "Console"),
    "4.18.3 4.20.1",
    { gains: olm, stayEnabled: ["baremetal"] },
  ],
  [
    "the older release decides",
    off("Console"),
    "4.20.3 4.19.1",
    { gains: ["Console", "baremetal"], comeBack: ["Console"] },
  ],
  ["4.13 has no such", noRegistry, "4.13.3 4.14.1", { gains: new14, stayEnabled: ["ImageRegistry"] }],
  ["what is new is off in hosted clusters", off(), "4.22.3 5.0.1", {}],
  [
    "the older release always has what is disabled",
    off("Ingress"),
    "4.20.3 4.15.1",
    { ...older, comeBack: ["Ingress"] },
  ],
  ["the present release is unknown", noRegistry, " 4.20.9", {}],
  ["the new version cannot be read", noRegistry, "4.20.1 latest", {}],
  ["a name is enabled and disabled", twice, "4.13.1 4.14.1", { gains: withRegistry }],
])("When $0, it should report what the upgrade does", ([, choice, releases, found]) => {
  const [from, to = ""] = releases.split(" ");
  const upgrade = upgradeCapabilities({ choice, ...(from ? { from } : {}), to });
  expect(upgrade).toMatchObject({ ...nothing, ...found, from: from || null, to });
});
