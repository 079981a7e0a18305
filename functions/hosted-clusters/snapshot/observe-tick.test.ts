import { expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { listed } from "./observe-tick.ts";

const managedFields = [{ manager: "hypershift", fieldsV1: {} }];
const metadata = {
  name: "shop",
  namespace: "clusters",
  uid: "u",
  annotations: { a: "b" },
  finalizers: ["f"],
};
const version = { history: [{ state: "Completed", version: "4.20.4" }] };

test("When a list of all hosted clusters is kept, it should have what is compared, without managed fields and status", () => {
  const cluster = {
    ...aHostedCluster({ metadata: { ...metadata, ...{ managedFields } } }),
    status: { version, conditions: [{ type: "Available" }] },
  };
  const { apiVersion, kind, spec } = cluster;
  expect(listed.cluster(cluster)).toEqual({ apiVersion, kind, metadata, spec, status: { version } });
  expect(listed.metadata(cluster)).toEqual({ apiVersion, kind, metadata });
  const report = { reason: "ChangeHeld", message: "m", involvedObject: { name: "shop" }, lastTimestamp: "t" };
  expect(listed.event({ ...cluster, ...report })).toEqual({ apiVersion, kind, metadata, ...report });
});
