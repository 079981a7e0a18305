import { expect, test } from "vitest";
import { coverageLines, coverageOf } from "../issues/coverage.ts";
import { readManifests } from "../manifests/manifests.ts";
import { withPolicies } from "./policy-enforcement.ts";

const policy = (name: string, more = "") => `apiVersion: policy.open-cluster-management.io/v1
kind: Policy
metadata:
  name: ${name}
  namespace: ztp
${more}spec:
  remediationAction: inform
  policy-templates:
  - objectDefinition:
      apiVersion: policy.open-cluster-management.io/v1
      kind: ConfigurationPolicy
      metadata: {name: ${name}}
      spec:
        remediationAction: inform
        object-templates:
        - complianceType: musthave
          objectDefinition:
            apiVersion: config.openshift.io/v1
            kind: ImageDigestMirrorSet
            metadata: {name: ${name}}
            spec: {imageDigestMirrors: [{source: quay.io/a}]}
`;
const copy = (text: string, cluster: string) =>
  text
    .replace("  name: ", "  name: ztp.")
    .replace(
      "  namespace: ztp\n",
      `  namespace: ${cluster}\n  labels: {policy.open-cluster-management.io/root-policy: ztp.common}\n`,
    );
const upgrade = (name: string, policies: readonly string[], spec = "clusters: [edge-1, edge-2]") =>
  `apiVersion: ran.openshift.io/v1alpha1
kind: ClusterGroupUpgrade
metadata: {name: ${name}, namespace: fleet}
spec:
  enable: false
  managedPolicies: ${JSON.stringify(policies)}
  ${spec}
  remediationStrategy: {maxConcurrency: 1}
`;
const cluster = (name: string) =>
  `apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata: {name: ${name}, labels: {site: north}}\n`;
const status = "status: {status: [{clustername: edge-2, compliant: NonCompliant}]}\n";
const annotated = "  annotations: {ran.openshift.io/ztp-deploy-wave: '1'}\n";
const assumed = "Assumed: a ClusterGroupUpgrade enforces Policy/ztp/common.";

test.for<[string, Record<string, string>, readonly string[], readonly string[]]>([
  [
    "no upgrade manages",
    { "a/p.yaml": policy("common") },
    [],
    ["Not read: Policy/ztp/common: its policy does not enforce it."],
  ],
  [
    "another upgrade does not manage",
    { "a/p.yaml": policy("common"), "b/u.yaml": upgrade("up", ["other"]) },
    [],
    ["Not read: Policy/ztp/common: its policy does not enforce it."],
  ],
  [
    "an upgrade manages",
    { "a/p.yaml": policy("common"), "b/u.yaml": upgrade("up", ["common"]) },
    ["common"],
    ["Enforced: Policy/ztp/common by ClusterGroupUpgrade/fleet/up on edge-1, edge-2."],
  ],
  [
    "an upgrade manages, and is bound to one of its clusters",
    {
      "a/p.yaml": `${policy("common")}${status}`,
      "b/u.yaml": upgrade("up", ["common"]),
      "c/a.yaml": cluster("edge-1"),
      "c/b.yaml": cluster("edge-2"),
    },
    ["common"],
    ["Enforced: Policy/ztp/common by ClusterGroupUpgrade/fleet/up on edge-2."],
  ],
  [
    "an upgrade manages has a copy for a cluster",
    {
      "a/p.yaml": copy(policy("common"), "edge-2"),
      "b/u.yaml": upgrade("up", ["common"]),
      "c/a.yaml": cluster("edge-1"),
      "c/b.yaml": cluster("edge-2"),
    },
    ["common"],
    ["Enforced: Policy/edge-2/ztp.common by ClusterGroupUpgrade/fleet/up on edge-2."],
  ],
  ["has an annotation of ZTP", { "a/p.yaml": policy("common", annotated) }, ["common"], [assumed]],
  [
    "lies beside a PolicyGenerator",
    {
      "a/p.yaml": policy("common"),
      "a/gen.yaml":
        "apiVersion: policy.open-cluster-management.io/v1\nkind: PolicyGenerator\nmetadata: {name: g}\n",
    },
    ["common"],
    [assumed],
  ],
])("When a policy that informs %s, it should hold %j", ([, files, names, lines]) => {
  const texts = Object.entries(files).map(([file, text]) => ({ file, text }));
  const given = texts.map(({ file, text }) => readManifests(text, file, { readsEmbedded: true }));
  const { read, enforced } = withPolicies(given, texts);
  const embedded = read.flatMap((one) => one.embedded ?? []);
  expect(embedded.map(({ object }) => object.metadata.name)).toEqual(names);
  const unread = read.flatMap((one) => one.unread ?? []);
  expect(coverageLines(coverageOf({ read: [], unread, assumed: [], enforced }))).toEqual(lines);
});
