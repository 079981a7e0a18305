import { describe, expect, test } from "vitest";
import {
  aClusterInfo,
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aWantedRelease,
} from "../../../../test/support/precache/precache-plan-objects.ts";
import { actionsOf, codesOf, plan, platform } from "../../../../test/support/precache/precache-planning.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

describe("which clusters", () => {
  const select = (spec: Readonly<Record<string, unknown>>, more: readonly KubernetesObject[] = []) =>
    plan({ objects: [anUpgrade({ clusters: undefined, managedPolicies: [], ...spec }), ...more] });
  const labelled = [
    aManagedCluster("sno9", { labels: { site: "a", ring: "" } }),
    aManagedCluster("sno5", { labels: { site: "b" } }),
  ];

  const labels = (...clusterLabelSelectors: readonly unknown[]) => ({ clusterLabelSelectors });
  const [siteA, siteB] = [{ matchLabels: { site: "a" } }, { matchLabels: { site: "b" } }];
  const noRing = { ...siteA, matchExpressions: [{ key: "ring", operator: "DoesNotExist" }] };
  const inAndOut = [
    { key: "vendor", operator: "In", values: ["OpenShift"] },
    { key: "site", operator: "NotIn", values: ["a", "b"] },
  ];

  test.for<readonly [what: string, spec: Readonly<Record<string, unknown>>, names: readonly string[]]>([
    ["names, one twice", { clusters: ["sno2", "sno1", "sno2"] }, ["sno2", "sno1"]],
    ["an empty list", { clusters: [] }, []],
    [
      "names, then a selector",
      { clusters: ["sno5"], clusterSelector: ["site=a", "site=b"] },
      ["sno5", "sno9"],
    ],
    ["a key alone", { clusterSelector: ["ring"] }, ["sno9"]],
    ["too many equals signs", { clusterSelector: ["a=b=c"] }, []],
    ["labels", labels(siteB), ["sno5"]],
    ["one selector or the other", labels(siteB, siteA), ["sno5", "sno9"]],
    ["both parts of one", labels(noRing), []],
    ["what an absent label meets", labels({ matchExpressions: inAndOut }), ["sno1", "sno2"]],
    ["a selector of nothing", labels({}), ["sno1", "sno2", "sno5", "sno9"]],
  ])("When the selection is $0, it should select $2", ([, spec, names]) => {
    expect(select(spec, labelled).clusters.map(({ name }) => name)).toEqual(names);
  });

  const details = "cannot obtain all the details about the clusters in the CR";
  const canaries = { clusters: ["sno1"], remediationStrategy: { maxConcurrency: 1, canaries: ["sno2"] } };
  const badKey = { matchExpressions: [{ key: "bad key", operator: "DoesNotExist" }] };
  const ofList = `${details}: matchLabels: Labels must be a map of strings`;
  const noSuchKey = `${details}: matchExpressions[0]: No label can have the key bad key`;

  test.for<
    readonly [
      what: string,
      spec: Readonly<Record<string, unknown>>,
      message: string,
      at?: string,
      value?: unknown,
    ]
  >([
    ["nothing is selected in any way", {}, `${details}: no cluster specified for remediation`],
    [
      "there is no cluster of that name",
      { clusters: ["sno1", "x", "y"] },
      "cluster x is not a ManagedCluster",
      "spec.clusters",
      ["x", "y"],
    ],
    [
      "a canary is not selected",
      canaries,
      "canary cluster sno2 is not in the list of clusters",
      "spec.remediationStrategy.canaries",
      "sno2",
    ],
    [
      "a selector's labels are a list",
      labels({}, { matchLabels: ["site"] }),
      ofList,
      "spec.clusterLabelSelectors[1]",
      { matchLabels: ["site"] },
    ],
    ["no label can have a key", labels(badKey), noSuchKey],
  ])("When $0, it should refuse the whole selection", ([, spec, message, at, value]) => {
    const made = select(spec);
    const text = `Unable to select clusters: ${message}`;
    expect(made.conditions).toEqual([
      { type: "ClustersSelected", status: "False", reason: "ClusterNotFound", message: text },
    ]);
    expect(codesOf(made)).toContain("error ClusterNotFound");
    const reported = made.issues.find(({ code }) => code === "ClusterNotFound");
    if (at) expect([reported?.path, reported?.value]).toEqual([at, value]);
  });

  test("When a cluster has more than one node, it should be left out with a reason", () => {
    const objects = [
      anUpgrade({ clusters: ["sno1", "compact"] }),
      aPolicy("platform", [aWantedRelease()], { sno1: "NonCompliant", compact: "NonCompliant" }),
      aManagedCluster("compact", { topology: "HighlyAvailable" }),
    ];
    expect(plan({ objects }).clusters[1]).toEqual({
      name: "compact",
      action: "leave out",
      reason: "It is not a single-node cluster: its control plane topology is HighlyAvailable.",
    });
  });

  test.for([
    { hub: "4.20.3", codes: [] },
    { hub: "4.21", codes: [] },
    { hub: "4.22.0-rc.1", codes: ["warning VersionSkew"] },
    { hub: "5.0", codes: ["warning ClusterVersionUnknown"] },
    { hub: "", codes: ["warning HubVersionUnknown"] },
  ])("When the hub is of $hub and clusters are of 4.19, it should report $codes", ({ hub, codes }) => {
    const made = plan({ objects: [anUpgrade(), platform], hubVersion: hub });
    expect(codesOf(made)).toEqual(codes);
    expect(actionsOf(made)).toEqual({ sno1: "precache", sno2: "precache" });
  });

  test("When RHACM lists the nodes of clusters, they should count more than the claim of one control plane", () => {
    const objects = [
      anUpgrade(),
      platform,
      aManagedCluster("sno2", { topology: "" }),
      aClusterInfo("sno1", 2),
      aClusterInfo("sno2", 1),
    ];
    const made = plan({ objects });
    expect(made.clusters).toMatchObject([
      { name: "sno1", action: "leave out", reason: "It is not a single-node cluster: it has 2 nodes." },
      { name: "sno2", action: "precache" },
    ]);
    expect(codesOf(made)).toEqual([]);
    expect(actionsOf(plan({ objects: [anUpgrade(), platform, aClusterInfo("sno1", 0)] }))).toEqual({
      sno1: "precache",
      sno2: "precache",
    });
  });

  test("When clusters do not claim their topology, it should say so and pre-cache them", () => {
    const objects = [anUpgrade(), platform, aManagedCluster("sno2", { topology: "" })];
    const made = plan({ objects });
    expect(made.issues).toMatchObject([
      {
        code: "ClusterTopologyUnknown",
        severity: "warning",
        value: 1,
        message: expect.stringContaining(": sno2."),
      },
    ]);
    expect(actionsOf(made)).toEqual({ sno1: "precache", sno2: "precache" });
  });

  test("When an entry of clusterSelector has no equals sign, it should say that it selects an empty label", () => {
    const objects = [anUpgrade({ clusterSelector: ["site", "ring="] }), platform];
    expect(plan({ objects }).issues).toMatchObject([
      {
        code: "SelectorEmptyValue",
        severity: "warning",
        path: "spec.clusterSelector",
        value: "site",
        message: "It selects clusters whose label site is empty, not all that have the label.",
      },
    ]);
  });

  test.for([
    { tag: "4.20.1-x86_64", codes: ["warning NodesOfOtherArchitecture"] },
    { tag: "4.20.1-aarch64", codes: [] },
    { tag: "4.20.1-multi", codes: [] },
    { tag: "latest", codes: [] },
  ])(
    "When clusters have nodes of arm64 and the release is $tag, the issues should be $codes",
    ({ tag, codes }) => {
      const image = `quay.io/openshift-release-dev/ocp-release:${tag}`;
      const release = aPolicy("platform", [aWantedRelease({ desiredUpdate: { image } })]);
      const objects = [
        anUpgrade(),
        release,
        aManagedCluster("sno1", { labels: { "kubernetes.io/arch": "arm64" } }),
        aManagedCluster("sno2"),
      ];
      const made = plan({ objects });
      expect(codesOf(made)).toEqual(codes);
      expect(
        made.issues.every(({ message }) => message.endsWith("of another architecture: sno1 (arm64).")),
      ).toBe(true);
      expect(actionsOf(made)).toEqual({ sno1: "precache", sno2: "precache" });
    },
  );

  test.for([
    {
      what: "the form of the design document",
      spec: { preCache: { enable: true } },
      remedy: "spec.preCaching: true",
    },
    { what: "a misplaced field", spec: { canaries: ["sno1"] }, remedy: "below spec.remediationStrategy." },
    { what: "a misspelled field", spec: { precaching: true }, remedy: "Did you mean preCaching?" },
  ])("When a ClusterGroupUpgrade has $what, it should warn of it", ({ spec, remedy }) => {
    const objects = [anUpgrade(spec), platform];
    const [field] = Object.keys(spec);
    const warning = {
      code: "UnknownField",
      severity: "warning",
      path: `spec.${field}`,
      remedy: expect.stringContaining(remedy),
    };
    expect(plan({ objects }).issues).toMatchObject([warning]);
  });
});
