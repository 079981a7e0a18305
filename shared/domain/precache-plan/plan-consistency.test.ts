import { expect, test } from "vitest";
import {
  aCatalogSource,
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aSubscription,
  aWantedRelease,
  copiesOf,
  digestOf,
  releaseImage,
} from "../../../test/support/precache/precache-plan-objects.ts";
import { codesOf, operators, plan, platform, ref } from "../../../test/support/precache/precache-planning.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { planInputsOf } from "./plan-input.ts";
import { planPrecache } from "./plan-precache.ts";
import { type GraphLookup, notQueried, parseGraph } from "./policies/update-graph.ts";

const update = { version: "4.20.3", image: releaseImage };
const fromGraph = { channel: "stable-4.20", upstream: "https://graph.lab", desiredUpdate: update };
const older = `quay.io/openshift-release-dev/ocp-release@${digestOf("c")}`;
const graphOf = (image: string, ...from: readonly string[]) =>
  JSON.stringify({
    nodes: [...from.map((version) => ({ version, payload: older })), { version: "4.20.3", payload: image }],
    edges: from.slice(0, 1).map((_, index) => [index, from.length]),
    conditionalEdges: from.slice(1).map((version) => ({ edges: [{ from: version, to: "4.20.3" }] })),
  });
const specPath = (index: number) =>
  `spec.policy-templates[0].objectDefinition.spec.object-templates[${index}].objectDefinition.spec`;

/** Plans for two clusters with 4.19.4, of which another may be given. */
function found(objects: readonly KubernetesObject[], graph?: string, sno1 = aManagedCluster("sno1")) {
  const [input] = planInputsOf([sno1, aManagedCluster("sno2"), ...objects], "4.20.3");
  if (!input) throw new Error("no ClusterGroupUpgrade was given");
  const lookup: GraphLookup = (query) => (graph === undefined ? notQueried : parseGraph(graph, query));
  const { plan: made } = planPrecache({ ...input, lookup }, { checksGraph: true });
  expect(made.issues.every(({ severity, remedy }) => severity === "warning" && remedy !== "")).toBe(true);
  return made.issues.map(({ code, object, path }) => `${code} ${object.kind} ${path}`);
}

const upgrade = anUpgrade({ managedPolicies: ["platform"] });
const release = (spec: object) => aPolicy("platform", [aWantedRelease({ ...spec })]);
const withImage = (image: string) => release({ ...fromGraph, desiredUpdate: { ...update, image } });
const other = `quay.io/openshift-release-dev/ocp-release@${digestOf("b")}`;
const away = { conditions: [{ type: "ManagedClusterConditionAvailable", status: "Unknown" }] };
const unreached = (fields: object): KubernetesObject => {
  const cluster = aManagedCluster("sno1");
  return { ...cluster, ...fields, status: { ...Object(cluster.status), ...away } };
};

test.for<readonly [what: string, found: () => readonly string[], expected: readonly string[]]>([
  ["agrees", () => found([upgrade, release(fromGraph)], graphOf(releaseImage, "4.19.4")), []],
  [
    "has an update with a known risk",
    () => found([upgrade, release(fromGraph)], graphOf(releaseImage, "4.19.1", "4.19.4")),
    [],
  ],
  ["has a graph that cannot be read", () => found([upgrade, release(fromGraph)]), []],
  [
    "has the image of another version",
    () => found([upgrade, withImage(older)], graphOf(releaseImage, "4.19.4")),
    [`ReleaseImageDiffers Policy ${specPath(0)}.desiredUpdate.image`],
  ],
  [
    "has an image whose tag is another version",
    () => found([upgrade, withImage("mirror.lab/ocp/release:4.20.2-x86_64")]),
    [`ReleaseImageDiffers Policy ${specPath(0)}.desiredUpdate.image`],
  ],
  [
    "has an image whose tag is its version",
    () => found([upgrade, withImage("mirror.lab/ocp/release:4.20.3-x86_64")], graphOf(other, "4.19.4")),
    [],
  ],
  [
    "has its image from a mirror",
    () => found([upgrade, withImage(releaseImage.replace("quay.io", "mirror.lab"))], graphOf(releaseImage)),
    [],
  ],
  [
    "has an image that the graph lacks",
    () => found([upgrade, release(fromGraph)], graphOf(other, "4.19.4")),
    [],
  ],
  [
    "has a version that the graph lacks",
    () =>
      found(
        [upgrade, release({ ...fromGraph, desiredUpdate: { ...update, version: "4.20.5" } })],
        graphOf(other, "4.19.4"),
      ),
    [`NoUpdatePath Policy ${specPath(0)}.desiredUpdate.version`],
  ],
  [
    "has no update from the clusters' version",
    () => found([upgrade, release(fromGraph)], graphOf(releaseImage, "4.19.1")),
    [`NoUpdatePath Policy ${specPath(0)}.desiredUpdate.version`],
  ],
  [
    "is older than what a cluster runs",
    () => found([upgrade, platform], undefined, aManagedCluster("sno1", { version: "4.20.12" })),
    [`TargetIsOlder Policy ${specPath(0)}.desiredUpdate.version`],
  ],
  [
    "has other images in its overrides",
    () =>
      found([
        anUpgrade({ managedPolicies: ["platform", "operators"], ...ref }),
        platform,
        operators,
        aPreCachingConfig({ overrides: { platformImage: other, operatorsIndexes: ["quay.io/a/index:v1"] } }),
      ]),
    [
      "OverrideDiffers PreCachingConfig spec.overrides.platformImage",
      "OverrideDiffers PreCachingConfig spec.overrides.operatorsIndexes",
    ],
  ],
  [
    "has the same image from a mirror in its overrides",
    () => {
      const overrides = { platformImage: releaseImage.replace("quay.io", "mirror.lab") };
      return found([
        anUpgrade({ managedPolicies: ["platform"], ...ref }),
        platform,
        aPreCachingConfig({ overrides }),
      ]);
    },
    [],
  ],
  [
    "has a cluster that is not available",
    () => found([upgrade, platform], undefined, unreached({})),
    ["ClustersNotReached ClusterGroupUpgrade spec"],
  ],
  [
    "has objects that bring other images",
    () => {
      const pinned = { ...aSubscription("ptp-operator", "stable") };
      const objects = [
        aWantedRelease(),
        {
          apiVersion: "olm.operatorframework.io/v1",
          kind: "ClusterExtension",
          metadata: { name: "a" },
          spec: {},
        },
        {
          apiVersion: "lca.openshift.io/v1",
          kind: "ImageBasedUpgrade",
          metadata: { name: "upgrade" },
          spec: {},
        },
        aCatalogSource("quay.io/a/index:v1"),
        { ...pinned, spec: { ...Object(pinned.spec), startingCSV: "ptp.v4.20.1" } },
      ];
      return found([upgrade, aPolicy("platform", objects)]);
    },
    [
      `NotPrecached Policy ${specPath(1)}`,
      `NotPrecached Policy ${specPath(2)}`,
      `PinnedOperatorVersion Policy ${specPath(4)}.startingCSV`,
    ],
  ],
])("When a plan $0, it should warn of $2", ([, issues, expected]) => {
  expect(issues()).toEqual(expected);
});

test("When the hub cannot resolve a template, the issue should have the hub's error and the clusters", () => {
  const policy = aPolicy("platform", [aCatalogSource("{{hub .ManagedClusterName hub}}")]);
  const annotations = {
    "policy.open-cluster-management.io/hub-templates-error": "no such ConfigMap: site-data",
  };
  const text = JSON.stringify(copiesOf(policy, ["sno1"])[0]).replace(
    '"metadata":{"name":"config"}',
    `"metadata":${JSON.stringify({ name: "config", annotations })}`,
  );
  const made = plan({ objects: [upgrade, policy, JSON.parse(text)] });
  expect(codesOf(made)).toEqual(["error PolicyInvalid", "error NotAllManagedPoliciesExist"]);
  expect(made.issues[0]?.message).toMatch(/sno1.*: no such ConfigMap: site-data\./);
});
