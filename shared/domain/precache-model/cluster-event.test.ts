import { expect, test } from "vitest";
import { parseHubEvent } from "../plan/hub-event.ts";
import { clusterEvent } from "./cluster-event.ts";

const cgu = {
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "ClusterGroupUpgrade",
  namespace: "default",
  name: "upgrade",
  uid: "0d7f4c60-8a35-4d0e-9b0a-5cf7a1f3e1a7",
  resourceVersion: "4711",
};

test("When a cluster has to be reconciled, the hint should name it, for people and for the function", () => {
  const event = clusterEvent(cgu, "sno1", { source: "https://api.hub.lab:6443" });
  expect(event).toMatchObject({
    type: "dev.knative.apiserver.ref.update",
    subject: "/apis/cluster.open-cluster-management.io/v1/managedclusters/sno1",
    id: "0d7f4c60-8a35-4d0e-9b0a-5cf7a1f3e1a7/4711/update/sno1",
    data: { ...cgu, cluster: "sno1" },
  });
});

test("When it is received, it should be read as a reference with the cluster", () => {
  const body = JSON.stringify(clusterEvent(cgu, "sno1", { source: "hub" }));
  expect(parseHubEvent(body)).toMatchObject({ ok: true, event: { reference: { ...cgu, cluster: "sno1" } } });
});

test("When names are as long as they may be, it should fit in 1 KB", () => {
  const long = { ...cgu, namespace: "n".repeat(63), name: "c".repeat(63) };
  const event = clusterEvent(long, "s".repeat(63), { source: `https://${"h".repeat(63)}:6443` });
  expect(JSON.stringify(event).length).toBeLessThan(1024);
});

test.for([
  { cluster: "../../secrets", what: "a path" },
  { cluster: "a".repeat(64), what: "too long" },
  { cluster: 7, what: "no text" },
])("When the cluster of a message is $what, it should be refused", ({ cluster }) => {
  const body = JSON.stringify({
    ...clusterEvent(cgu, "sno1", { source: "hub" }),
    data: { ...cgu, cluster },
  });
  expect(parseHubEvent(body)).toMatchObject({
    ok: false,
    reason: expect.stringContaining("data.cluster is"),
  });
});
