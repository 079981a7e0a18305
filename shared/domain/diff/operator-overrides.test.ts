import { expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { aNodePool } from "../../../test/support/hosted-clusters/node-pools.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { hostedClusterCosts } from "./hosted-cluster-cost.ts";
import { absentOverrides } from "./operator-overrides.ts";

const art = "quay.io/openshift-release-dev/ocp-v4.0-art-dev";

const deployment = (args: readonly string[], env: readonly object[] = []): KubernetesObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "operator", namespace: "hypershift" },
  spec: { template: { spec: { containers: [{ name: "operator", args: ["run", ...args], env }] } } },
});
const flags = (installFlagsToAdd: string): KubernetesObject =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "hypershift-operator-install-flags", namespace: "local-cluster" },
    data: { installFlagsToAdd },
  }) as KubernetesObject;

const pool = (annotations: Readonly<Record<string, string>> = {}) => {
  const one = aNodePool();
  const release = { image: "quay.io/openshift-release-dev/ocp-release:4.20.6-multi" };
  return { ...one, metadata: { ...one.metadata, annotations }, spec: { ...Object(one.spec), release } };
};
const to = (target: string) => deployment([`--registry-overrides=${art}=${target}`]);
const canonical = pool({ "hypershift.openshift.io/canonical-data-plane-images": "true" });
const ownImage = pool({ "hypershift.openshift.io/haproxy-image": "c.io/h" });
const others = deployment([`--registry-overrides=${art}=a.io/x,registry.redhat.io=b.io`]);
const shared = [{ name: "MANAGED_SERVICE", value: "ARO-HCP" }];

test("When a node pool without a stream gets release 5, the cost should name RHEL 10", () => {
  const at = (version: string) => {
    const image = `quay.io/openshift-release-dev/ocp-release:${version}-multi`;
    return { ...pool(), spec: { ...Object(pool().spec), release: { image } } };
  };
  const sides = [at("4.23.1"), at("5.0.1")].map((one) => [aHostedCluster(), one]);
  const [before = [], after = []] = sides;
  const [found] = hostedClusterCosts(before, after);
  expect(found?.differences.join(" ")).toContain("from RHEL 9 to RHEL 10");
});

test.for<[string, KubernetesObject | undefined, KubernetesObject | undefined, KubernetesObject, string]>([
  ["changes the payload's registry", to("a.io/x"), to("b.io/x"), pool(), "replace"],
  ["is in two parts", to("a.io/x"), deployment(["--registry-overrides", `${art}=b.io/x`]), pool(), "replace"],
  ["is in MCE's flags", flags(""), flags(`--foo --registry-overrides ${art}=b.io/x`), pool(), "replace"],
  ["goes", to("a.io/x"), deployment([]), pool(), "replace"],
  ["stays", to("a.io/x"), to("a.io/x"), pool(), "none"],
  ["is of another registry", to("a.io/x"), others, pool(), "none"],
  ["is on one side only", undefined, to("b.io/x"), pool(), "none"],
  ["changes for canonical names", to("a.io/x"), to("b.io/x"), canonical, "none"],
  ["changes beside an own image", to("a.io/x"), to("b.io/x"), ownImage, "none"],
  ["is on ARO", to("a.io/x"), deployment([`--registry-overrides=${art}=b.io/x`], shared), pool(), "none"],
])(
  "When --registry-overrides %s, it should cost the right node pools",
  ([, before, after, nodePool, cost]) => {
    const side = (operator: KubernetesObject | undefined) => [
      ...(operator ? [operator] : []),
      aHostedCluster(),
      nodePool,
    ];
    const found = hostedClusterCosts(side(before), side(after));
    expect(found.map((one) => one.cost)).toEqual(cost === "none" ? [] : [cost]);
  },
);

test("When node pools are given and a side has no operator, its overrides should be named as not given", () => {
  const what = "--registry-overrides of HyperShift's operator";
  expect(absentOverrides([pool()], [])).toEqual([{ what, why: "not-given", count: 1 }]);
  expect(absentOverrides([pool()], [pool(), flags("")])).toEqual([{ what, why: "not-given", count: 1 }]);
  expect(absentOverrides([pool(), flags("")], [flags("")])).toEqual([]);
  expect(absentOverrides([aHostedCluster()], [])).toEqual([]);
});
