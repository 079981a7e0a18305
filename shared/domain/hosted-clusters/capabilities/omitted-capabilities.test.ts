import { expect, test } from "vitest";
import { aReadHostedCluster } from "../fixtures.ts";
import { omittedCapabilities } from "./omitted-capabilities.ts";

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
