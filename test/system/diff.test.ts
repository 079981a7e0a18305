import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { aNodePool, inPlace } from "../support/hosted-clusters/node-pools.ts";
import { anObject } from "../support/hub/objects.ts";
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

/** A hosted cluster that blocks registries, and a pool whose MachineConfig has an entry of registries.conf. */
function hostedWith(blockedRegistries: readonly string[], line: string): string {
  const entry = encodeURIComponent(`[[registry]]\nlocation = "bad.example"\n${line}\n`);
  const file = {
    path: "/etc/containers/registries.conf.d/99.conf",
    mode: 420,
    contents: { source: `data:,${entry}` },
  };
  const machineConfig = anObject(
    kinds.MachineConfig,
    { name: "99-block" },
    {
      spec: { config: { ignition: { version: "3.4.0" }, storage: { files: [file] } } },
    },
  );
  const configuration = { image: { registrySources: { blockedRegistries } } };
  const config = JSON.stringify(machineConfig);
  return [
    aHostedCluster({ spec: { configuration } }),
    aNodePool("blue", { config: [{ name: "block" }] }),
    anObject(kinds.ConfigMap, { namespace: "clusters", name: "block" }, { data: { config } }),
  ]
    .map((object) => JSON.stringify(object))
    .join("\n");
}

const files: Readonly<Record<string, string>> = {
  "one/mirrors.json": digests("acme", ["quay.io/ns", "m.example.com/ns"]),
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
  "hosted/clusters.json": [aHostedCluster(), aNodePool("blue"), aNodePool("green", inPlace)]
    .map((object) => JSON.stringify(object))
    .join("\n"),
  "mirrored/clusters.json": JSON.stringify(
    aHostedCluster({
      spec: { imageContentSources: [{ source: "ghcr.io", mirrors: ["m.example.com/ghcr"] }] },
    }),
  ),
  "blocking/clusters.json": hostedWith(["evil.example"], "blocked = true"),
  "open/clusters.json": hostedWith([], ""),
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

  test("When what was rendered is compared with its manifests, nothing should change", async () => {
    const rendered = await hubrelay(["render", "-f", join(folder.path, "two"), "-o", "machine-config"]);
    await writeFile(join(folder.path, "mc.yaml"), rendered.stdout);
    expect((await report("mc.yaml", "two")).cost).toBe("none");
    expect((await report("mc.yaml", "one")).cost).toBe("drain");
  });
});

describe("hubrelay diff for a person", () => {
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

  test("When nodes of a hosted cluster may pull what was blocked, it should name that beside the pools' changes", async () => {
    const { stdout } = await diff("blocking", "open", "-o", "markdown");
    expect(stdout).toContain("### 🔴 hubrelay: images are let in that were refused · ");
    expect(stdout.match(/(?<=\*\*weaker\*\*: ).*/g)).toEqual([
      "HostedCluster/clusters/shop: evil.example: any image may be pulled; before no image may be pulled.",
      "HostedCluster/clusters/shop: bad.example: images may be pulled; before none may be pulled.",
    ]);
    const back = await diff("open", "blocking");
    expect(back.stdout).toMatch(/^stricter +HostedCluster\/clusters\/shop: bad\.example/m);
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
      "\nFixed by the new side: 1 error: ImageDigestMirrorSet/acme spec.imageDigestMirrors[0].source (InvalidSource).\nAssumed: only the valid rules of the old side count, since it has errors; ",
    );
    const markdown = (await diff("bad", "one", "-o", "markdown")).stdout;
    expect(markdown).toContain(
      "\n✅ Fixes 1 error:\n\n- `ImageDigestMirrorSet/acme spec.imageDigestMirrors[0].source (InvalidSource)`\n",
    );
    expect((await report("bad", "one")).fixed).toEqual({ errors: 1, warnings: 0 });
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
