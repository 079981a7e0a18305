import { describe, expect, test } from "vitest";
import { type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { mayBePulledBySilent, needsOf } from "./needs.ts";

const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`;
const imageOf = (digit: string) => `quay.io/ocp/release@${digestOf(digit)}`;
const entry = (version: string, digit: string, state = "Completed") => ({
  state,
  version,
  image: imageOf(digit),
});

const clusterVersion = (status: object): KubernetesObject => ({
  ...kinds.ClusterVersion,
  metadata: { name: "version" },
  status,
});

const policy = (name: string, namespace: string, spec: object): KubernetesObject => ({
  ...kinds.Policy,
  metadata: { name, namespace },
  spec,
});

const managed = (labels: Readonly<Record<string, string>>, status = "True"): KubernetesObject => ({
  ...kinds.ManagedCluster,
  metadata: { name: "sno1", labels },
  status: { conditions: [{ type: "ManagedClusterConditionAvailable", status }] },
});

describe("needsOf", () => {
  test("When a cluster has a history, its release, the one before and the last of two minor versions should count", () => {
    const history = [
      entry("4.20.5", "1", "Partial"),
      entry("4.20.4", "2"),
      entry("4.20.3", "3"),
      entry("4.20.2", "4"),
      entry("4.19.9", "5"),
      entry("4.19.8", "6"),
      entry("4.18.7", "7"),
      entry("4.17.6", "8"),
    ];
    const { releases, digests } = needsOf([clusterVersion({ history })]);
    expect([...releases]).toEqual(["1", "2", "3", "5", "7"].map(imageOf));
    expect(digests.has(digestOf("4"))).toBe(false);
  });

  test("When an update is only offered, its image should be kept, but need not be there", () => {
    const availableUpdates = [{ version: "4.20.5", image: imageOf("9") }];
    const conditionalUpdates = [{ release: { version: "4.20.6", image: imageOf("8") } }];
    const { releases, digests } = needsOf([clusterVersion({ availableUpdates, conditionalUpdates })]);
    expect([...releases]).toEqual([]);
    expect([...digests]).toEqual([digestOf("9"), digestOf("8")]);
  });

  test.for([
    { what: "seed image", field: "seedImageRef", spec: { image: "quay.io/seed:1", version: "4.20.4" } },
    { what: "planned update", field: "desiredUpdate", spec: { version: "4.20.4" } },
  ])("When a $what names a version, its release should be needed", ({ field, spec }) => {
    const upgrade = { ...kinds.ImageBasedGroupUpgrade, metadata: { name: "u" }, spec: { [field]: spec } };
    const { versions, releases } = needsOf([upgrade]);
    expect({ versions: [...versions], releases: [...releases] }).toEqual({
      versions: ["4.20.4"],
      releases: [],
    });
  });

  test("When catalogs are named, in a policy too, their index images should be needed", () => {
    const source = { kind: "CatalogSource", spec: { image: "m.lan/index:v4.20" } };
    const catalog = {
      ...kinds.ClusterCatalog,
      metadata: { name: "c" },
      spec: { source: { image: { ref: "m.lan/c:1" } } },
    };
    const { catalogs, tags } = needsOf([policy("p", "ztp", { objectDefinition: source }), catalog]);
    expect([...catalogs]).toEqual(["m.lan/index:v4.20", "m.lan/c:1"]);
    expect(tags.has("v4.20")).toBe(true);
  });

  test.for([kinds.ClusterVersion, kinds.HostedCluster, kinds.NodePool])(
    "When a $kind has no status, as in a file of git, what it runs should be unknown",
    ({ apiVersion, kind }) => {
      const spec = { release: { image: imageOf("1") } };
      const object = { apiVersion, kind, metadata: { name: "a" }, spec };
      const { unknown } = needsOf([clusterVersion({ history: [entry("4.20.4", "2")] }), object]);
      expect(unknown).toEqual([`${kind}/a does not report what it runs`]);
      expect(needsOf([clusterVersion({ history: [entry("4.20.4", "2")] })], [object]).unknown).toEqual([]);
    },
  );

  const template = { version: "{{hub fromClusterClaim hub}}" };
  test.for([
    { what: "no copy resolves", copy: undefined, isOpen: true },
    { what: "a copy resolves", copy: { version: "4.20.4" }, isOpen: false },
    { what: "the cluster itself resolves", copy: { version: '{{ fromSecret "a" }}' }, isOpen: true },
    { what: "makes whole objects", copy: { "object-templates-raw": "" }, isOpen: true },
  ])("When a template that $what is in a policy, it should be unknown: $isOpen", ({ copy, isOpen }) => {
    const copies = copy ? [policy("ztp.p", "sno1", copy)] : [];
    const { unknown } = needsOf([clusterVersion({}), policy("p", "ztp", template), ...copies]);
    expect(unknown.some((text) => text.includes("is a template"))).toBe(isOpen);
  });

  test.for<{ what: string; cluster: KubernetesObject; unknown: number; pulled: readonly string[] }>([
    { what: "never reported", cluster: managed({}), unknown: 1, pulled: [] },
    {
      what: "has no history",
      cluster: managed({ openshiftVersion: "4.20.4" }),
      unknown: 0,
      pulled: ["4.18.1", "4.21.0"],
    },
    {
      what: "is away",
      cluster: managed({ openshiftVersion: "5.1.0" }, "Unknown"),
      unknown: 0,
      pulled: ["4.18.1", "4.21.0"],
    },
  ])(
    "When a cluster $what, it should be named with the releases that it may pull",
    ({ cluster, ...expected }) => {
      const needs = needsOf([cluster]);
      expect(needs.silent).toEqual(["sno1"]);
      expect(needs.unknown).toHaveLength(expected.unknown);
      const versions = ["3.11.1", "4.18.1", "4.21.0"].filter((version) =>
        mayBePulledBySilent(needs, version),
      );
      expect(versions).toEqual(expected.pulled);
    },
  );
});
