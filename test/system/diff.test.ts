import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { aNodePool, inPlace } from "../support/hosted-clusters/node-pools.ts";
import { sharedFolder, temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const list = (
  kind: string,
  field: string,
  name: string,
  ...rules: readonly (readonly [string, ...string[]])[]
) =>
  JSON.stringify({
    apiVersion: "config.openshift.io/v1",
    kind,
    metadata: { name },
    spec: { [field]: rules.map(([source, ...mirrors]) => ({ source, mirrors })) },
  });
const digests = (name: string, ...rules: readonly (readonly [string, ...string[]])[]) =>
  list("ImageDigestMirrorSet", "imageDigestMirrors", name, ...rules);
const tags = (name: string, ...rules: readonly (readonly [string, ...string[]])[]) =>
  list("ImageTagMirrorSet", "imageTagMirrors", name, ...rules);
const pool = (name: string, fields: Readonly<Record<string, unknown>> = {}, annotations = {}) =>
  JSON.stringify({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name, annotations },
    ...fields,
  });

const entry = (source: string, mirror: string) =>
  `[[registry]]\nlocation = "${source}"\n[[registry.mirror]]\nlocation = "${mirror}"\npull-from-mirror = "digest-only"\n`;

const runs = (version: string) =>
  JSON.stringify({
    apiVersion: "config.openshift.io/v1",
    kind: "ClusterVersion",
    metadata: { name: "version" },
    status: { history: [{ state: "Completed", version }] },
  });

const files: Readonly<Record<string, string>> = {
  "one/mirrors.json": digests("acme", ["quay.io/ns", "m.example.com/ns"]),
  "cluster/mirrors.json": digests("acme", ["quay.io/ns", "m.example.com/ns"]),
  "cluster/version.json": runs("4.22.6"),
  "two/mirrors.json": digests("acme", ["quay.io/ns", "m.example.com/ns"], ["ghcr.io", "m.example.com/ghcr"]),
  "two/tags.json": tags("base", ["quay.io/ubi", "m.example.com/ubi"]),
  "bad/mirrors.json": digests(
    "acme",
    ["quay.io/ns:tag", "m.example.com/ns"],
    ["ghcr.io", "m.example.com/ghcr"],
  ),
  "worse/rules.json": digests(
    "acme",
    ["quay.io/new", "m.example.com/new"],
    ["quay.io/ns:tag", "m.example.com/ns"],
  ),
  "empty/README.md": "",
  "pools/mirrors.json": digests("acme", ["ghcr.io", "m.example.com/ghcr"]),
  "pools/pools.json": [
    pool("master", { status: { machineCount: 3 } }),
    pool("worker", { spec: { paused: true, maxUnavailable: "10%" } }),
    pool("infra", {}, { "hubrelay.dev/max-cost": "reload" }),
  ].join("\n"),
  "windows/mirrors.json": digests("acme", ["ghcr.io", "m.example.com/ghcr"]),
  "windows/pools.json": pool("worker", {}, { "hubrelay.dev/max-cost": "reload" }),
  "windows/night.json": JSON.stringify({
    apiVersion: "hubrelay.dev/v1alpha1",
    kind: "MaintenanceWindow",
    metadata: { namespace: "fleet", name: "night" },
    spec: {
      schedule: "0 2 * * *",
      timeZone: "Europe/Berlin",
      duration: "2h",
      allow: { maxCost: { worker: "drain" } },
    },
  }),
  "hosted/clusters.json": [aHostedCluster(), aNodePool("blue"), aNodePool("green", inPlace)]
    .map((object) => JSON.stringify(object))
    .join("\n"),
  "mirrored/clusters.json": JSON.stringify(
    aHostedCluster({
      spec: { imageContentSources: [{ source: "ghcr.io", mirrors: ["m.example.com/ghcr"] }] },
    }),
  ),
  "old.conf": entry("quay.io/ns", "m.example.com/ns"),
  "new.conf": entry("quay.io/ns", "m.example.com/ns") + entry("ghcr.io", "m.example.com/ghcr"),
  "broken.conf": "[[",
  "old-policy.json": '{"default":[{"type":"insecureAcceptAnything"}]}',
  "new-policy.json": '{"default":[{"type":"reject"}]}',
};

const folder = sharedFolder(files);

const diff = (...args: readonly string[]) => hubrelay(["diff", ...args], { cwd: folder.path });

async function report(...args: readonly string[]) {
  const { stdout, stderr, exitCode } = await diff(...args, "-o", "json");
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return JSON.parse(stdout);
}

describe("hubrelay diff -o json", () => {
  test("When two directories are compared, it should give cost, changes and pools, the dearest first", async () => {
    const { cost, changes, pools, ...rest } = await report("one", "two");
    expect({ cost, rest }).toEqual({
      cost: "drain",
      rest: {
        hostedClusters: [],
        fixed: { errors: 0, warnings: 0 },
        fixedIssues: [],
        issues: [],
        known: [],
        accepted: 0,
        consequences: [],
        policies: [],
        assumed: expect.arrayContaining([expect.stringContaining("pools master and worker")]),
        coverage: expect.objectContaining({ complete: false, unread: [] }),
      },
    });
    expect(
      changes.map((change: Record<string, unknown>) => [
        change.cost,
        change.path ?? change.scope,
        change.kind,
      ]),
    ).toEqual([
      ["drain", "/etc/containers/registries.conf", "changed"],
      ["drain", "quay.io/ubi", "added"],
      ["reload", "ghcr.io", "added"],
    ]);
    for (const change of changes) {
      expect(Object.keys(change).filter((key) => key !== "path" && key !== "scope")).toEqual([
        "kind",
        "before",
        "after",
        "cost",
        "rule",
        "pools",
      ]);
      expect(change.rule).toEqual({ code: expect.stringMatching(/^[a-z-]+$/), text: expect.any(String) });
    }
    expect(pools.map(({ name, cost }: Record<string, unknown>) => [name, cost])).toEqual([
      ["master", "drain"],
      ["worker", "drain"],
    ]);
  });

  test.for([
    { name: "a directory and itself", sides: ["two", "two"], cost: "none" },
    { name: "two rendered files", sides: ["old.conf", "new.conf"], cost: "reload" },
    { name: "a rendered file and a smaller one", sides: ["new.conf", "old.conf"], cost: "drain" },
    { name: "a rendered file and manifests", sides: ["new.conf", "one"], cost: "drain" },
  ])("When $name are compared, it should cost $cost", async ({ sides, cost }) => {
    expect((await report(...sides)).cost).toBe(cost);
  });

  test("When what was rendered is compared with its manifests, nothing should change", async () => {
    const root = join(folder.path, "node-root");
    await hubrelay(["render", "-f", join(folder.path, "two"), "-o", "files", "--dir", root]);
    expect((await report("node-root", "two")).cost).toBe("none");

    const rendered = await hubrelay(["render", "-f", join(folder.path, "two"), "-o", "machine-config"]);
    await writeFile(join(folder.path, "mc.yaml"), rendered.stdout);
    expect((await report("mc.yaml", "two")).cost).toBe("none");
    expect((await report("mc.yaml", "one")).cost).toBe("drain");
  });

  test("When a node's file comes on standard input, it should be a side too", async () => {
    const stdin = files["old.conf"] ?? "";
    const { stdout } = await hubrelay(["diff", "-", join(folder.path, "new.conf"), "-o", "json"], { stdin });
    expect(JSON.parse(stdout).changes).toMatchObject([{ cost: "reload" }, { scope: "ghcr.io" }]);
  });
});

describe("hubrelay diff for a person", () => {
  test("When something changes, it should show the cost first, a reason for each change, and no colours in a pipe", async () => {
    const { stdout, exitCode } = await diff("one", "pools");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Cost drain\n/);
    expect(stdout).toMatch(
      /drain +infra, master, worker +removed +quay\.io\/ns +The entry is removed\. \[entry-removed\]\n.* - m\.example\.com\/ns digest-only/,
    );
    expect(stdout).toMatch(/drain +master +3, 1 at a time +drain, reload crio\.service\./);
    expect(stdout).toMatch(/drain +worker .*paused/);
    expect(stdout).toMatch(/drain +infra .*Waits: the pool allows reload\./);
    expect(stdout).not.toContain("\u001b");
  });

  test("When nodes of a hosted cluster get other mirrors, it should name NodePools and nodes", async () => {
    const { stdout } = await diff("hosted", "mirrored");
    expect(stdout).toMatch(/^Cost replace$/m);
    expect(stdout).toContain(
      "HyperShift replaces every node of NodePool blue (3 nodes). HyperShift drains every node of NodePool green (3 nodes). [hosted-nodes-replaced]",
    );
    expect(stdout).toMatch(/replace +clusters\/shop +HyperShift/);
    expect(stdout).toContain("The mirrors of ghcr.io become m.example.com/ghcr.");
    const markdown = await diff("hosted", "mirrored", "-o", "markdown");
    expect(markdown.stdout).toContain(
      "- 🔴 **replace** hosted cluster `clusters/shop`: HyperShift replaces every node of",
    );
  });

  test("When nothing changes, it should report that", async () => {
    const { stdout, exitCode } = await diff("one", "one");
    expect({ stdout, exitCode }).toEqual({
      stdout: expect.stringMatching(/^Cost none\n\nNothing changes on any node\.\n\nAssumed: .*\n$/),
      exitCode: 0,
    });
  });

  test("When both sides have an error, it should report it once, at its place in the new side, and exit 0", async () => {
    const { stdout, stderr, exitCode } = await diff("bad", "worse");
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain("Fixed");
    expect(stderr.match(/^.*InvalidSource.*$/gm)).toEqual([
      expect.stringMatching(/^worse\/rules\.json:1:\d+: error: .* \(there before\)$/),
    ]);
  });

  test("When the new side fixes an error of the old one, it should count it as fixed and exit 0", async () => {
    const { stdout, stderr, exitCode } = await diff("bad", "one");
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toContain(
      "\nFixed by the new side: 1 error: ImageDigestMirrorSet/acme spec.imageDigestMirrors[0].source (InvalidSource).\nAssumed: only the valid rules of bad count, since it has errors; ",
    );
    const markdown = (await diff("bad", "one", "-o", "markdown")).stdout;
    expect(markdown).toContain(
      "\n✅ Fixes 1 error:\n\n- `ImageDigestMirrorSet/acme spec.imageDigestMirrors[0].source (InvalidSource)`\n",
    );
    expect((await report("bad", "one")).fixed).toEqual({ errors: 1, warnings: 0 });
  });

  test("When only the new side has an error, it should report it at its place and exit 1", async () => {
    const { stdout, stderr, exitCode } = await diff("one", "bad");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^The configuration has errors, .* alone would give\.\n\nCost /);
    expect(stdout).not.toContain("Fixed");
    expect(stderr).toMatch(/^bad\/mirrors\.json:1:\d+: error: /);
  });
});

test("When the logins of namespaces change, diff should say what that costs", async () => {
  const folder = await temporaryFolder();
  const write = async (name: string, matchImages: readonly string[]) => {
    const path = join(folder, name);
    const apiVersion = "config.openshift.io/v1";
    const config = {
      apiVersion,
      kind: "CRIOCredentialProviderConfig",
      metadata: { name: "cluster" },
      spec: { matchImages },
    };
    const mirrors = { apiVersion, kind: "ImageTagMirrorSet", metadata: { name: "m" }, spec: {} };
    await writeFile(path, [config, mirrors].map((object) => JSON.stringify(object)).join("\n"));
    return path;
  };
  const { stderr, exitCode } = await hubrelay([
    "diff",
    await write("old.json", ["a.io"]),
    await write("new.json", ["b.io"]),
  ]);
  expect(stderr).toMatch(/\[CredentialProviderChanges\]\n.*kubelet restarts, without a drain or reboot/);
  expect(exitCode).toBe(0);
});
