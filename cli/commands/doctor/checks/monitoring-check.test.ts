import { expect, test } from "vitest";
import { monitoringCheck } from "./monitoring-check.ts";

test("When OpenShift monitors user-defined projects, the check should be ok", () => {
  const prometheus = {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "Prometheus",
    metadata: { name: "user-workload", namespace: "openshift-user-workload-monitoring" },
  };
  expect(monitoringCheck(prometheus)).toMatchObject({ name: "monitoring", state: "ok" });
});

test("When OpenShift does not monitor user-defined projects, it should note what to set: nothing would raise an alert", () => {
  expect(monitoringCheck(undefined)).toMatchObject({
    state: "note",
    remedy: expect.stringContaining("enableUserWorkload: true"),
  });
});
