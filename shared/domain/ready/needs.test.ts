import { describe, expect, test } from "vitest";
import { type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { type Needs, needsOf } from "./needs.ts";

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

const hasRelease = ({ kept }: Needs, version: string) => kept.some((one) => one.hasRelease?.(version));

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
    "When a $kind has no status, as in a file of git, every release and catalog should stay",
    ({ apiVersion, kind }) => {
      const spec = { release: { image: imageOf("1") } };
      const object = { apiVersion, kind, metadata: { name: "a" }, spec };
      const running = clusterVersion({ history: [entry("4.20.4", "2")] });
      const { kept, unknown } = needsOf([running, object]);
      expect(unknown).toEqual([]);
      expect(kept).toMatchObject([
        { reason: expect.stringContaining(`${kind}/a does not report`), catalogs: true },
      ]);
      expect(needsOf([running], [object]).kept).toEqual([]);
    },
  );

  test("When clusters have histories, the oldest release that any of them ran should be known", () => {
    const histories = ["4.16.2", "4.18.1"].map((first) => [
      entry("4.20.4", "1"),
      entry("4.19.1", "2"),
      entry(first, "3"),
    ]);
    const { oldest } = needsOf(histories.map((history) => clusterVersion({ history })));
    expect(oldest).toEqual({ major: 4, minor: 16 });
  });

  const template = { version: "{{hub fromClusterClaim hub}}" };
  test.for([
    { what: "no copy resolves", copy: undefined, isOpen: true },
    { what: "a copy resolves", copy: { version: "4.20.4" }, isOpen: false },
    { what: "the cluster itself resolves", copy: { version: '{{ fromSecret "a" }}' }, isOpen: true },
  ])(
    "When a template that $what is in a policy, what it may name should stay: $isOpen",
    ({ copy, isOpen }) => {
      const copies = copy ? [policy("ztp.p", "sno1", copy)] : [];
      const history = [entry("4.20.4", "1")];
      const needs = needsOf([clusterVersion({ history }), policy("p", "ztp", template), ...copies]);
      expect({ unknown: needs.unknown, stays: hasRelease(needs, "4.1.1") }).toEqual({
        unknown: [],
        stays: isOpen,
      });
    },
  );

  const release = { has: ["4.18.1", "4.19.1"] };
  const nothing = { has: [], reasons: 0 };
  test.for<{
    spec: object;
    has?: readonly string[];
    catalogs?: true;
    repository?: string;
    reasons?: number;
    isUnknown?: true;
  }>([
    { spec: { desiredUpdate: { version: "{{ .V }}" } }, ...release },
    { spec: { desiredUpdate: { version: "4.18.{{ .Z }}" } }, has: ["4.18.1"] },
    { spec: { desiredUpdate: { image: "{{ .Image }}" } }, ...release },
    { spec: { releaseImage: "quay.io/ocp/release@{{ .Digest }}" }, ...release },
    { spec: { kind: "CatalogSource", spec: { image: "m.lan/index:{{ .Tag }}" } }, catalogs: true },
    { spec: { kind: "ClusterCatalog", source: { image: { ref: "{{ .Ref }}" } } }, catalogs: true },
    { spec: { containers: [{ image: "quay.io/acme/app:{{ .Tag }}" }] }, repository: "quay.io/acme/app" },
    { spec: { image: "quay.io/openshift-release-dev/ocp-release:{{ .T }}" }, ...release },
    { spec: { image: "{{ .Image }}" }, isUnknown: true },
    { spec: { image: "quay.io/{{ .Path }}" }, isUnknown: true },
    { spec: { args: ["quay.io/a/b:1 --with={{ .Image }}"] }, isUnknown: true },
    { spec: { args: ["quay.io/a/b:{{ .A }},quay.io/c/d:{{ .B }}"] }, isUnknown: true },
    { spec: { name: '{{ fromConfigMap "a" | toLiteral }}' }, isUnknown: true },
    { spec: { from: { kind: "DockerImage", name: "{{ .Image }}" } }, isUnknown: true },
    { spec: { "{{ .Key }}": "" }, isUnknown: true },
    { spec: { name: "{{ .ManagedClusterName }}", labels: { site: "{{ .Site }}" } }, ...nothing },
    { spec: { "object-templates-raw": "" }, ...nothing },
    {
      spec: { "object-templates-raw": "{{- if .A }}\n- image: quay.io/a/b:{{ .T }}" },
      repository: "quay.io/a/b",
    },
    { spec: { "object-templates-raw": "{{ $v := .A }}\n  version: '4.18.{{ $v }}'" }, has: ["4.18.1"] },
    { spec: { "object-templates-raw": "- spec: {{ .Spec }}" }, isUnknown: true },
    { spec: { "object-templates-raw": "{{ range .A }}\n- {{ . }}\n{{ end }}" }, isUnknown: true },
  ])("When a policy has $spec, what its template may name should stay, and the policy be named", (one) => {
    const { spec, has = [], catalogs, repository, isUnknown = false } = one;
    const { reasons = isUnknown ? 0 : 1 } = one;
    const history = [entry("4.20.4", "1")];
    const needs = needsOf([clusterVersion({ history }), policy("p", "ztp", spec)]);
    expect({
      reasons: needs.kept.filter(({ reason }) => reason.startsWith("Policy/ztp/p has a template in")).length,
      has: ["4.18.1", "4.19.1"].filter((version) => hasRelease(needs, version)),
      catalogs: needs.kept.some((all) => all.catalogs) || undefined,
      unknown: needs.unknown.length > 0,
    }).toEqual({ reasons, has, catalogs, unknown: isUnknown });
    if (repository) expect(needs.kept).toMatchObject([{ repository }]);
    expect([...needs.releases, ...needs.catalogs]).toEqual([imageOf("1")]);
  });

  test("When a raw template has a version, its release should be needed", () => {
    const raw = "- objectDefinition:\n    spec:\n      desiredUpdate:\n        version: 4.20.4\n";
    const { versions, unknown } = needsOf([
      clusterVersion({}),
      policy("p", "ztp", { "object-templates-raw": raw }),
    ]);
    expect({ versions: [...versions], unknown }).toEqual({ versions: ["4.20.4"], unknown: [] });
  });

  test.for<{ what: string; cluster: KubernetesObject; pulled: readonly string[] }>([
    { what: "never reported", cluster: managed({}), pulled: ["3.11.1", "4.18.1", "4.21.0"] },
    {
      what: "has no history",
      cluster: managed({ openshiftVersion: "4.20.4" }),
      pulled: ["4.18.1", "4.21.0"],
    },
    {
      what: "is away",
      cluster: managed({ openshiftVersion: "5.1.0" }, "Unknown"),
      pulled: ["4.18.1", "4.21.0"],
    },
  ])("When a cluster $what, it should be named with the releases that it may pull", ({ cluster, pulled }) => {
    const needs = needsOf([cluster]);
    expect(needs.unknown).toEqual([]);
    expect(needs.kept).toMatchObject([{ reason: expect.stringContaining("sno1"), catalogs: true }]);
    expect(["3.11.1", "4.18.1", "4.21.0"].filter((version) => hasRelease(needs, version))).toEqual(pulled);
  });
});
