import { join } from "node:path";
import { expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { aNodePool, inPlace } from "../support/hosted-clusters/node-pools.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay, onOneLine } from "./cli-in-process.ts";

const hostedCluster = (name: string, spec: Readonly<Record<string, unknown>>) =>
  JSON.stringify({
    apiVersion: "hypershift.openshift.io/v1beta1",
    kind: "HostedCluster",
    metadata: { name, namespace: "clusters" },
    spec: { release: { image: "quay.io/openshift-release-dev/ocp-release:4.20.4-multi" }, ...spec },
  });

const allMirrors = { "hubrelay.dev/image-content-sources": "all" };
const delegated = JSON.stringify(aHostedCluster({ metadata: { annotations: allMirrors } }));
const mirrorsOf = (mirror: string) =>
  JSON.stringify(aDigestMirrorSet("ocp", [{ source: "quay.io/ocp", mirrors: [mirror] }]));

const files: Readonly<Record<string, string>> = {
  "old/shop.json": hostedCluster("shop", {}),
  "old/other.json": hostedCluster("other", { capabilities: { disabled: ["Console"] } }),
  "new/shop.json": hostedCluster("shop", { capabilities: { disabled: ["ImageRegistry"] } }),
  "same/shop.json": hostedCluster("shop", { pausedUntil: "true" }),
  "delegated/shop.json": delegated,
  "delegated/mirrors.json": mirrorsOf("a.example.com/release"),
  "delegated/pools.json": [aNodePool("blue"), aNodePool("green", inPlace)]
    .map((object) => JSON.stringify(object))
    .join("\n"),
  "mirrors.json": mirrorsOf("b.example.com/release"),
  "delegated.json": delegated,
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
  {
    args: ["-f", "mirrors.json", "--against", "delegated"],
    exitCode: 0,
    reported:
      'warning: HostedCluster/clusters/shop spec.imageContentSources ["The mirrors of quay.io/ocp become b.example.com/release, …: The nodes get other mirrors. HyperShift replaces every node of NodePool blue (3 nodes). HyperShift drains every node of NodePool green (3 nodes). Waits: the hosted cluster has no annotation hubrelay.dev/max-cost. No maintenance window allows it.',
  },
  { args: ["-f", "delegated.json", "--against", "delegated"], exitCode: 0, reported: "" },
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
