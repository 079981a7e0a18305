import { expect, test } from "vitest";
import { clusterKind, namespacedName, parseNamespacedName } from "./object.ts";

test.for([
  { key: "ztp/upgrade", namespace: "ztp", name: "upgrade" },
  { key: "/worker", namespace: "", name: "worker" },
  { key: "ztp/up/grade", namespace: "ztp", name: "up/grade" },
])("When $key is a key, it should be parsed to what it was made from", ({ key, ...parts }) => {
  expect(parseNamespacedName(key)).toEqual(parts);
  expect(namespacedName(parts)).toBe(key);
});

test("When a key has no namespace, it should be a name", () => {
  expect(parseNamespacedName("cluster")).toEqual({ namespace: "", name: "cluster" });
});

test.for<[string, string]>([
  ["Image", "images"],
  ["ImagePolicy", "imagepolicies"],
  ["Proxy", "proxies"],
  ["SecretProviderClass", "secretproviderclasses"],
  ["Prometheus", "prometheuses"],
])("When %s is a kind, its plural should be %s", ([kind, plural]) => {
  expect(clusterKind("example.com/v1", kind).plural).toBe(plural);
});
