import { expect, test } from "vitest";
import { signatureLabel, signatureNamespace, signedDigests, unsignedRelease } from "./release-signatures.ts";

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
  expect([
    ...signedDigests([configMap({ data: { [`x-sha256-${hex("4")}`]: "", [`sha256-${hex("5")}0`]: "" } })]),
  ]).toEqual([]);
  expect([...digests]).toEqual([`sha256:${hex("1")}`, `sha256:${hex("2")}`]);
});

test.for([
  { isDisconnected: true, severity: "error" },
  { isDisconnected: false, severity: "warning" },
])(
  "When a release has no signature and disconnected is $isDisconnected, it should be: $severity",
  ({ isDisconnected, severity }) => {
    expect(unsignedRelease("4.20.4", "sha256:1", isDisconnected)).toEqual({
      code: "ReleaseNotSigned",
      severity,
      object: { kind: "Release", name: "4.20.4" },
      path: "",
      value: "sha256:1",
      message: expect.stringContaining("No ConfigMap in openshift-config-managed"),
      remedy: expect.stringContaining("signature-configmap.yaml"),
    });
  },
);
