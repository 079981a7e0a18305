import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay, onOneLine } from "./cli-in-process.ts";

const hostedCluster = (name: string, spec: Readonly<Record<string, unknown>>) =>
  JSON.stringify({
    apiVersion: "hypershift.openshift.io/v1beta1",
    kind: "HostedCluster",
    metadata: { name, namespace: "clusters" },
    spec: { release: { image: "quay.io/openshift-release-dev/ocp-release:4.20.4-multi" }, ...spec },
  });

const files: Readonly<Record<string, string>> = {
  "old/shop.json": hostedCluster("shop", {}),
  "old/other.json": hostedCluster("other", { capabilities: { disabled: ["Console"] } }),
  "new/shop.json": hostedCluster("shop", { capabilities: { disabled: ["ImageRegistry"] } }),
  "same/shop.json": hostedCluster("shop", { pausedUntil: "true" }),
  "fields.json": hostedCluster("shop", { relaese: {}, fips: "yes" }),
};

const folder = sharedFolder(files);

const validate = (...args: readonly string[]) => hubrelay(["validate", ...args], { cwd: folder.path });
const immutable =
  'spec.capabilities {"disabled":["ImageRegistry"]}: Invalid value: Capabilities is immutable. Changes might result in unpredictable and disruptive behavior.';

test.for([
  { args: ["-f", "new"], exitCode: 0, reported: "" },
  { args: ["-f", "new", "--against", "old"], exitCode: 1, reported: immutable },
  { args: ["-f", "new/shop.json", "--against", "old/shop.json"], exitCode: 1, reported: immutable },
  { args: ["-f", "new/shop.json", "--against", "old/other.json"], exitCode: 0, reported: "" },
  { args: ["-f", "same", "--against", "old"], exitCode: 0, reported: "" },
  { args: ["-f", "fields.json"], exitCode: 1, reported: "Did you mean release? [UnknownField]" },
])(
  "When hubrelay validate is given $args, it should exit with $exitCode and report that",
  async ({ args, exitCode, reported }) => {
    const result = await validate(...args);
    expect(onOneLine(result.stderr)).toContain(reported);
    if (reported === "") expect(result.stderr).toMatch(/^\d objects? checked .*, 0 errors, 0 warnings\n$/);
    expect(result.exitCode).toBe(exitCode);
  },
);

test("When the hub is a folder, the manifest should be compared with the hub's content", async () => {
  const hub = `directory:${join(folder.path, "old")}`;
  const { stderr, exitCode } = await hubrelay(["validate", "-f", "new", "--against", "hub"], {
    cwd: folder.path,
    hub,
  });
  expect(onOneLine(stderr)).toContain(immutable);
  expect(exitCode).toBe(1);
});
