import { expect, test } from "vitest";
import { kedaCheck, kubernetesCheck } from "./version-checks.ts";

test.for([
  { version: "v1.29.14+rke2r1", state: "problem" },
  { version: "v1.30.0", state: "ok" },
  { version: "v1.36.3", state: "ok" },
  // Text that is not a version says nothing about the hub.
  { version: "unknown", state: "ok" },
])("When the hub's Kubernetes is $version, the check should report $state", ({ version, state }) => {
  const { remedy = "", ...check } = kubernetesCheck(version, "Connected.");
  expect(check).toEqual({ name: "hub", state, found: "Connected." });
  expect(remedy.includes("Kubernetes 1.30, which is OpenShift 4.17")).toBe(state === "problem");
});

const schema = (fallback: object) => ({
  properties: { spec: { properties: { fallback: { properties: fallback } } } },
});
test.for([
  { title: "2.17 or newer", given: schema({ replicas: {}, behavior: {} }), state: "ok", says: "have" },
  { title: "older", given: schema({ replicas: {} }), state: "note", says: "older than 2.17" },
  { title: "unknown", given: undefined, state: "note", says: "does not publish" },
])("When KEDA is $title, the check should report $state", ({ given, state, says }) => {
  expect(kedaCheck(given)).toMatchObject({ name: "KEDA", state, found: expect.stringContaining(says) });
});
