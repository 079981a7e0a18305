import { describe, expect, test } from "vitest";
import { coverageLines } from "#shared/domain/issues/coverage.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors, mirrorInputOf } from "#shared/domain/mirrors/configuration.ts";
import { anImageDigestMirrorSet } from "#shared/domain/mirrors/fixtures.ts";
import { aMachineConfig, dropInPath } from "#shared/domain/openshift/machine-config/fixtures.ts";
import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { snapshotOf } from "../../../test/support/console/console-snapshots.ts";
import { mirrorsView } from "./mirrors-view.ts";
import { nodeConfiguration } from "./node-configuration.ts";

const digest = `sha256:${"a".repeat(64)}`;
const sets = [
  anImageDigestMirrorSet("acme", [
    { source: "quay.io/acme", mirrors: ["one.lab/acme", "two.lab/acme"] },
    { source: "registry.example.com/tools", mirrors: ["one.lab/tools"] },
  ]),
];
const pool = {
  apiVersion: kinds.MachineConfigPool.apiVersion,
  kind: "MachineConfigPool",
  metadata: { name: "worker", labels: { "machineconfiguration.openshift.io/mco-built-in": "" } },
};
const machineConfig = renderMachineConfig({ pool: "worker", files: [] });

const verification = {
  function: "mirror-config",
  key: "cluster",
  decisions: [
    {
      subject: "99-worker-generated-registries",
      verdict: "held",
      reason: "It costs drain.",
      differences: ["a", "b"],
    },
  ],
  writes: [],
  issues: [],
  differs: true,
};

test.for([
  [
    "4.22.3",
    { ...kinds.Infrastructure, metadata: { name: "cluster" }, status: { controlPlaneTopology: "External" } },
  ],
  [
    "4.18.3",
    { ...kinds.FeatureGate, metadata: { name: "cluster" }, spec: { featureSet: "TechPreviewNoUpgrade" } },
  ],
] as const)(
  "When release %s and %j decide about the payload's policy, the files should be those of the command",
  ([version, object]) => {
    const status = { history: [{ state: "Completed", version }] };
    const clusterVersion = { ...kinds.ClusterVersion, metadata: { name: "version" }, status };
    const objects = [...sets, pool, clusterVersion, object];
    const pathsOf = (given: typeof objects) =>
      configureMirrors(mirrorInputOf(given)).files.map(({ path }) => path);
    expect(pathsOf(objects.slice(0, -1))).not.toEqual(pathsOf(objects));
    const shown = nodeConfiguration(snapshotOf(objects)).configuration.files;
    expect(shown.map(({ path }) => path)).toEqual(pathsOf(objects));
  },
);

describe("mirrorsView", () => {
  test("When something was not compared, or the hub does not name its release, the coverage should have it", () => {
    const file = { pool: "worker", machineConfig: "99-x", path: dropInPath };
    const decisions = verification.decisions.map((one) => ({ ...one, comparedWithout: [file] }));
    const snapshot = snapshotOf([...sets, pool], { verifications: [{ ...verification, decisions }] });
    expect(coverageLines(mirrorsView(snapshot, {}).coverage)).toEqual([
      `Not read: MachineConfig/99-x ${dropInPath}: not checked.`,
      expect.stringMatching(/^Assumed: release [^;]*\.$/),
    ]);
  });

  test("When rules name mirrors, each source should have them in order, with the rules that list them", () => {
    const { sources, applied: rules } = mirrorsView(snapshotOf(sets), {});
    expect(rules).toBe(2);
    expect(sources.map(({ scope, mirrors }) => [scope, mirrors.map(({ location }) => location)])).toEqual([
      ["quay.io/acme", ["one.lab/acme", "two.lab/acme"]],
      ["registry.example.com/tools", ["one.lab/tools"]],
    ]);
    expect(sources[0]?.mirrors[0]?.listedBy).toMatchObject([
      { name: "acme", path: "spec.imageDigestMirrors[0].mirrors[0]" },
    ]);
  });

  test.for([
    { source: "tools", scopes: ["registry.example.com/tools"] },
    { source: "two.lab", scopes: ["quay.io/acme"] },
    { source: "nowhere", scopes: [] },
    { source: "ImageDigestMirrorSet/acme", scopes: ["quay.io/acme", "registry.example.com/tools"] },
  ])("When $source is looked for, it should find $scopes among sources and mirrors", ({ source, scopes }) => {
    const { sources, totalSources } = mirrorsView(snapshotOf(sets), { source });
    expect([sources.map(({ scope }) => scope), totalSources]).toEqual([scopes, 2]);
  });

  test("When an image is asked for, the verdict and the rules of each mirror should be those of hubrelay explain", () => {
    const image = `quay.io/acme/app@${digest}`;
    const { path, renderedBy } = mirrorsView(snapshotOf(sets), { image });
    expect(path?.verdict).toEqual({
      pullable: true,
      text: `Nodes pull ${image} from one.lab/acme/app@${digest}; if that fails, in turn from two.lab/acme/app@${digest}, the source itself.`,
    });
    expect(path?.names[0]?.source?.mirrors.map(({ listedBy }) => listedBy.map(({ path: at }) => at))).toEqual(
      [["spec.imageDigestMirrors[0].mirrors[0]"], ["spec.imageDigestMirrors[0].mirrors[1]"]],
    );
    expect(renderedBy).toBe("machine-config-operator");
  });

  test("When machine-config-operator writes the files, they should be as it writes them", () => {
    const annotations = { "machineconfiguration.openshift.io/generated-by-controller-version": "x" };
    const generated = { ...machineConfig, metadata: { ...machineConfig.metadata, annotations } };
    expect(mirrorsView(snapshotOf([...sets, pool, generated]), {}).renderedBy).toBe(
      "machine-config-operator",
    );
  });

  test("When the rules are refused, it should say so, and show what the valid ones alone would give", () => {
    const bad = anImageDigestMirrorSet("bad", [{ source: "quay.io/bad:v1", mirrors: ["m.lab"] }]);
    const view = mirrorsView(snapshotOf([...sets, bad]), { image: `quay.io/acme/app@${digest}` });
    expect(view).toMatchObject({ isRefused: true, leftOut: 1 });
    expect(view.path?.verdict.pullable).toBe(true);
  });

  test("When what is typed is not an image, it should say why", () => {
    expect(mirrorsView(snapshotOf(sets), { image: "quay.io/ACME" })).toMatchObject({
      path: undefined,
      problem: expect.stringMatching(/\w/),
    });
  });

  test("When a change is held, its pool should have what is pending", () => {
    const { pools } = mirrorsView(
      snapshotOf([...sets, pool, machineConfig], { verifications: [verification] }),
      {},
    );
    expect(pools).toEqual([
      {
        pool: "worker",
        exists: true,
        verdict: "held",
        reason: "It costs drain.",
        owner: "hubrelay",
        pending: ["a", "b"],
      },
    ]);
  });

  describe("beside a MachineConfig that writes a drop-in", () => {
    const entry = (scope: string, mirror: string) =>
      `[[registry]]\nlocation = "${scope}"\n[[registry.mirror]]\nlocation = "${mirror}"\n`;
    const path = dropInPath;
    const dropIn = aMachineConfig("99-worker-tags", {
      [path]: entry("quay.io/acme", "tags.lab") + entry("docker.io", "hub.lab"),
    });
    const origin = { machineConfig: "99-worker-tags", path };
    const hub = snapshotOf([...sets, pool, dropIn]);

    test("When nodes use it instead of a rule, the source should say so", () => {
      const { sources, nodesOf } = mirrorsView(hub, {});
      expect(sources.map(({ scope, replacedBy }) => [scope, replacedBy])).toEqual([
        ["quay.io/acme", origin],
        ["registry.example.com/tools", undefined],
      ]);
      expect(nodesOf).toBe("worker");
    });

    test.for([
      { asked: "worker", from: "tags.lab" },
      { asked: "master", from: "one.lab/acme" },
    ])("When an image is asked for on $asked, it should be from $from", ({ asked, from }) => {
      const master = { ...pool, metadata: { ...pool.metadata, name: "master" } };
      const image = `quay.io/acme/app@${digest}`;
      const { path } = mirrorsView(snapshotOf([...sets, pool, master, dropIn]), {
        image,
        pool: asked,
      });
      expect(path?.names[0]?.candidates[0]?.reference).toContain(`${from}/app@`);
    });
  });
});
