import { expect, test } from "vitest";
import { signatureLabel, signatureNamespace, signedDigests } from "./release-signatures.ts";

test("When a ConfigMap has a signature, in data or binaryData, its digest should be known", () => {
  const hex = (digit: string) => digit.repeat(64);
  const configMap = (more: object, namespace = signatureNamespace) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "s", namespace, labels: { [signatureLabel]: "" } },
    ...more,
  });
  const digests = signedDigests([
    configMap({ data: { [`sha256-${hex("1")}`]: "" } }),
    configMap({ binaryData: { [`sha256-${hex("2")}-1`]: "", other: "" } }),
    configMap({ binaryData: { [`sha256-${hex("3")}-1`]: "" } }, "default"),
  ]);
  expect([...digests]).toEqual([`sha256:${hex("1")}`, `sha256:${hex("2")}`]);
});
