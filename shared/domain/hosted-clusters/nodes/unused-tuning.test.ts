import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { aReadHostedCluster } from "../fixtures.ts";
import { unusedTuning } from "./node-pool-issues.ts";

const without = { capabilities: { disabled: ["Insights", "NodeTuning"] } };
const tuned = { clusterName: "shop", tuningConfig: [{ name: "hugepages" }] };

const aNodePool = (spec: unknown, namespace?: string): KubernetesObject => ({
  apiVersion: "hypershift.openshift.io/v1beta1",
  kind: "NodePool",
  metadata: { name: "workers", ...(namespace === undefined ? {} : { namespace }) },
  spec,
});

const warned = [
  "warning spec.tuningConfig: NodeTuning is disabled on the HostedCluster clusters/shop, so this is ignored and no node is tuned",
];
test.for([
  { cluster: without, spec: tuned, reported: warned },
  { cluster: without, spec: { ...tuned, tuningConfig: [] }, reported: [] },
  { cluster: without, spec: { clusterName: "shop" }, reported: [] },
  { cluster: without, spec: { ...tuned, tuningConfig: "hugepages" }, reported: [] },
  { cluster: without, spec: { ...tuned, clusterName: "other" }, reported: [] },
  { cluster: without, spec: undefined, reported: [] },
  { cluster: { capabilities: { disabled: ["Insights"] } }, spec: tuned, reported: [] },
  { cluster: { capabilities: { enabled: ["NodeTuning"] } }, spec: tuned, reported: [] },
  { cluster: {}, spec: tuned, reported: [] },
])("When $cluster has a NodePool with $spec, it should report $reported", ({ cluster, spec, reported }) => {
  const issues = unusedTuning(aReadHostedCluster({ spec: cluster }), [aNodePool(spec, "clusters")]);
  expect(issues.map(({ severity, path, message }) => `${severity} ${path}: ${message}`)).toEqual(reported);
});

test("When the NodePool is in another namespace, it should belong to another cluster", () => {
  const cluster = aReadHostedCluster({ spec: without });
  expect(unusedTuning(cluster, [aNodePool(tuned, "others"), aNodePool(tuned)])).toEqual([]);
  const inDefault = aReadHostedCluster({ spec: without, namespace: "default" });
  expect(unusedTuning(inDefault, [aNodePool(tuned)])).toMatchObject([{ object: { kind: "NodePool" } }]);
});
