import { expect, test } from "vitest";
import { aPreCachingConfig } from "../../../test/support/precache/precache-plan-objects.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { readManifests } from "../manifests/manifests.ts";
import { checkPrecaching, otherVersionIssues } from "./validate-precaching.ts";

const cgu = (spec: unknown, metadata: unknown = {}, status?: unknown) => ({
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "ClusterGroupUpgrade",
  metadata: { namespace: "ztp", name: "upgrade", ...Object(metadata) },
  spec: { clusters: ["edge1"], remediationStrategy: { maxConcurrency: 1 }, ...Object(spec) },
  status,
});
const config = (spec: unknown, annotations = {}) => ({
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "PreCachingConfig",
  metadata: { namespace: "ztp", name: "settings", annotations },
  spec,
});
const cluster = (name: string) => ({
  apiVersion: "cluster.open-cluster-management.io/v1",
  kind: "ManagedCluster",
  metadata: { name, labels: { site: "oslo" } },
});
const policy = (name: string, spec: unknown) => ({
  apiVersion: "policy.open-cluster-management.io/v1",
  kind: "Policy",
  metadata: { namespace: "ztp", name },
  spec,
});
const usable = policy("platform", {
  "policy-templates": [
    {
      objectDefinition: {
        metadata: { name: "platform" },
        spec: { "object-templates": [{ objectDefinition: { kind: "ConfigMap" } }] },
      },
    },
  ],
});

function objectsOf(values: readonly unknown[]): readonly KubernetesObject[] {
  return readManifests(values.map((value) => JSON.stringify(value)).join("\n"), "a.json").objects.map(
    ({ object }) => object,
  );
}

const reported = (values: readonly unknown[], isWhole = false) =>
  checkPrecaching(objectsOf(values), { isWhole }).issues.map(
    ({ severity, code, object, path }) => `${severity} ${code} ${object.kind} ${path}`,
  );

const settings = { preCachingConfigRef: { namespace: "ztp", name: "settings" } };
const over = { conditions: [{ type: "Succeeded", status: "True" }] };

const cases: readonly [name: string, objects: readonly unknown[], issues: readonly string[]][] = [
  ["nothing is wrong", [cgu(settings), config({ spaceRequired: "40 GiB" }), cluster("edge1")], []],
  ["clusters and policies are kept elsewhere", [cgu({ managedPolicies: ["platform"] })], []],
  ["a selector needs clusters that are elsewhere", [cgu({ clusterSelector: ["site=oslo"] })], []],
  [
    "a PreCachingConfig is not given",
    [cgu(settings)],
    ["warning PreCachingConfigMissing ClusterGroupUpgrade spec.preCachingConfigRef"],
  ],
  [
    "a cluster is not given, but others are",
    [cgu({ clusters: ["edge1", "edge2"] }), cluster("edge1")],
    ["warning ClusterNotFound ClusterGroupUpgrade spec.clusters[1]"],
  ],
  [
    "a policy is not given, but others are",
    [cgu({ managedPolicies: ["platform", "operators"] }), usable],
    ["warning NotAllManagedPoliciesExist ClusterGroupUpgrade spec.managedPolicies[1]"],
  ],
  [
    "a managed policy has no objects",
    [cgu({ managedPolicies: ["platform"] }), policy("platform", {})],
    [
      "error PolicyInvalid Policy spec.policy-templates",
      "error NotAllManagedPoliciesExist ClusterGroupUpgrade spec.managedPolicies",
    ],
  ],
  [
    "a selector matches no cluster",
    [cgu({ clusters: undefined, clusterSelector: ["site=bergen"] }), cluster("edge1")],
    ["warning NoClusterSelected ClusterGroupUpgrade spec"],
  ],
  [
    "a canary is not selected",
    [cgu({ remediationStrategy: { maxConcurrency: 1, canaries: ["edge9"] } })],
    ["error ClusterNotFound ClusterGroupUpgrade spec.remediationStrategy.canaries"],
  ],
  [
    "a field has another type",
    [cgu({ preCaching: "yes" })],
    ["error InvalidType ClusterGroupUpgrade spec.preCaching"],
  ],
  [
    "the values of a PreCachingConfig are wrong, and no ClusterGroupUpgrade names it",
    [
      config({
        spaceRequired: "much",
        additionalImages: ["quay.io/Acme"],
        excludePrecachePatterns: ["", "aws\n"],
        overides: {},
      }),
    ],
    [
      "warning UnknownField PreCachingConfig spec.overides",
      "error AdditionalImageInvalid PreCachingConfig spec.additionalImages[0]",
      "error SpaceRequiredInvalid PreCachingConfig spec.spaceRequired",
      "warning PatternEmpty PreCachingConfig spec.excludePrecachePatterns[0]",
    ],
  ],
  [
    "a limit is not a number",
    [cgu(settings, { annotations: { "hubrelay.dev/parallel-pulls": "all" } }), config({})],
    ['error InvalidLimit ClusterGroupUpgrade metadata.annotations["hubrelay.dev/parallel-pulls"]'],
  ],
  [
    "the time before an opening is not a duration",
    [cgu(settings, { annotations: { "hubrelay.dev/check-before": "1d" } }), config({})],
    ['error InvalidDuration ClusterGroupUpgrade metadata.annotations["hubrelay.dev/check-before"]'],
  ],
  [
    "the version of the API is another",
    [{ ...cgu({ clusters: "edge1", enabled: true }), apiVersion: "ran.openshift.io/v1beta1" }],
    [
      "error WrongApiVersion ClusterGroupUpgrade apiVersion",
      "error InvalidType ClusterGroupUpgrade spec.clusters",
      "warning UnknownField ClusterGroupUpgrade spec.enabled",
      "error ClusterNotFound ClusterGroupUpgrade spec",
    ],
  ],
  ["an upgrade is over, what it names may be gone", [cgu(settings, {}, over), cluster("edge2")], []],
];
test.for(cases)("When %s, it should report that", ([, objects, issues]) => {
  expect(reported(objects)).toEqual(issues);
});

test("When the objects are all of a hub, a missing object should be an error", () => {
  expect(reported([cgu(settings)], true)).toEqual([
    "error PreCachingConfigMissing ClusterGroupUpgrade spec.preCachingConfigRef",
    "error ClusterNotFound ClusterGroupUpgrade spec.clusters[0]",
  ]);
});

test.each([
  ["another version", "ran.openshift.io/v1beta1"],
  ["the group that the design document prints", "ran.openshift.io.openshift.io/v1alpha1"],
])("When a kind is of %s, it should be reported, not left out silently", (_, apiVersion) => {
  expect(otherVersionIssues([{ ...aPreCachingConfig({}), apiVersion }])).toMatchObject([
    {
      code: "WrongApiVersion",
      severity: "error",
      value: apiVersion,
      remedy: "Write apiVersion: ran.openshift.io/v1alpha1.",
    },
  ]);
});

test("When another project has a kind of that name, it should be ignored", () => {
  const policy = { apiVersion: "kyverno.io/v1", kind: "Policy", metadata: { name: "p", namespace: "x" } };
  expect(otherVersionIssues([policy])).toEqual([]);
});
