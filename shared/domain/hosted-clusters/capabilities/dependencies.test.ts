import { expect, test } from "vitest";
import { parseRelease } from "../../openshift/releases/release.ts";
import { missingDependencies } from "./capability-issues.ts";

test.for([
  {
    version: "4.15.1",
    additional: ["marketplace"],
    on: [],
    missing: ["marketplace -> OperatorLifecycleManager"],
  },
  {
    version: undefined,
    additional: ["marketplace"],
    on: [],
    missing: ["marketplace -> OperatorLifecycleManager"],
  },
  { version: "4.14.1", additional: ["marketplace"], on: [], missing: [] },
  { version: "4.20.1", additional: ["marketplace", "OperatorLifecycleManager"], on: [], missing: [] },
  { version: "4.20.1", additional: ["marketplace"], on: ["OperatorLifecycleManager"], missing: [] },
  { version: "4.20.1", additional: [], on: ["marketplace"], missing: [] },
  { version: "4.13.1", additional: ["baremetal"], on: [], missing: [] },
  { version: "4.14.1", additional: ["baremetal"], on: [], missing: ["baremetal -> MachineAPI"] },
  { version: "4.16.1", additional: ["baremetal"], on: [], missing: ["baremetal -> MachineAPI"] },
  { version: "4.17.1", additional: ["baremetal"], on: [], missing: [] },
  { version: undefined, additional: ["baremetal"], on: [], missing: [] },
  { version: "4.22.1", additional: ["ClusterAPI"], on: [], missing: [] },
  {
    version: "5.0.1",
    additional: ["ClusterAPI"],
    on: [],
    missing: ["ClusterAPI -> CompatibilityRequirements"],
  },
])(
  "When $version has $additional with $on already on, it should report $missing as missing",
  ({ version, additional, on, missing }) => {
    const release = parseRelease(version);
    const found = missingDependencies(additional, on, release);
    expect(found.map(({ capability, requires }) => `${capability} -> ${requires}`)).toEqual(missing);
  },
);

test("When a dependency is missing, it should report that in the API server's words", () => {
  expect(
    missingDependencies(["marketplace"], [], { major: 4, minor: 20 }).map(({ message }) => message),
  ).toEqual([
    "the `marketplace` capability requires the `OperatorLifecycleManager` capability, which is neither explicitly or implicitly enabled in this cluster, please enable the `OperatorLifecycleManager` capability",
  ]);
});
