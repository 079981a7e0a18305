import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { aReadHostedCluster } from "../fixtures.ts";
import { unusedTuning } from "./unused-tuning.ts";

const without = { capabilities: { disabled: ["Insights", "NodeTuning"] } };
const tuned = { clusterName: "shop", tuningConfig: [{ name: "hugepages" }] };

const aNodePool = (spec: unknown, namespace?: string): KubernetesObject => ({
  apiVersion: "hypershift.openshift.io/v1beta1",
  kind: "NodePool",
  metadata: { name: "workers", ...(namespace === undefined ? {} : { namespace }) },
  spec,
});

const warned = [
  "warning spec.tuningConfig: NodeTuning is disabled on the HostedCluster clusters/shop, so nobody reads this and no node is tuned",
];
test.for([
  { cluster: without, spec: tuned, told: warned },
  { cluster: without, spec: { ...tuned, tuningConfig: [] }, told: [] },
  { cluster: without, spec: { clusterName: "shop" }, told: [] },
  { cluster: without, spec: { ...tuned, tuningConfig: "hugepages" }, told: [] },
  { cluster: without, spec: { ...tuned, clusterName: "other" }, told: [] },
  { cluster: without, spec: undefined, told: [] },
  { cluster: { capabilities: { disabled: ["Insights"] } }, spec: tuned, told: [] },
  { cluster: { capabilities: { enabled: ["NodeTuning"] } }, spec: tuned, told: [] },
  { cluster: {}, spec: tuned, told: [] },
])("When $cluster has a NodePool with $spec, it should be told $told", ({ cluster, spec, told }) => {
  const issues = unusedTuning(aReadHostedCluster({ spec: cluster }), [aNodePool(spec, "clusters")]);
  expect(issues.map(({ severity, path, message }) => `${severity} ${path}: ${message}`)).toEqual(told);
});

test("When the NodePool is in another namespace, it should be another cluster's", () => {
  const cluster = aReadHostedCluster({ spec: without });
  expect(unusedTuning(cluster, [aNodePool(tuned, "others"), aNodePool(tuned)])).toEqual([]);
  const inDefault = aReadHostedCluster({ spec: without, namespace: "default" });
  expect(unusedTuning(inDefault, [aNodePool(tuned)])).toMatchObject([{ object: { kind: "NodePool" } }]);
});
