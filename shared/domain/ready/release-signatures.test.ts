import { expect, test } from "vitest";
import { checkSignatures, signatureLabel, signatureNamespace, signedDigests } from "./release-signatures.ts";

const hex = (digit: string) => digit.repeat(64);
const configMap = (more: object, namespace = signatureNamespace) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "s", namespace, labels: { [signatureLabel]: "" } },
  ...more,
});

test("When a ConfigMap has a signature, in data or binaryData, its digest should be known", () => {
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

const release = `quay.io/ocp@sha256:${hex("1")}`;
const signatures = configMap({ data: { [`sha256-${hex("1")}-1`]: "" } });
const others = configMap({ data: { [`sha256-${hex("2")}-1`]: "" } });
const onHub = { isOfManifests: false, isDisconnected: false };
const inManifests = { isOfManifests: true, isDisconnected: false };

test.for([
  { isDisconnected: true, severity: "error" },
  { isDisconnected: false, severity: "warning" },
])(
  "When a release has no signature and disconnected is $isDisconnected, it should be: $severity",
  ({ isDisconnected, severity }) => {
    const known = { ...onHub, isDisconnected, configMaps: [others] };
    expect(checkSignatures([release], known)).toEqual({
      issues: [
        {
          code: "ReleaseNotSigned",
          severity,
          object: { kind: "Release", name: release },
          path: "",
          value: `sha256:${hex("1")}`,
          message: expect.stringContaining("No ConfigMap in openshift-config-managed"),
          remedy: expect.stringContaining("signature-configmap.yaml"),
        },
      ],
      unread: [],
    });
  },
);

test.for<{
  what: string;
  releases?: string[];
  known: Parameters<typeof checkSignatures>[1];
  unread: object[];
}>([
  { what: "are signed", known: { ...onHub, configMaps: [signatures] }, unread: [] },
  {
    what: "may not be read",
    known: { ...onHub, configMaps: undefined },
    unread: [{ what: "signature of a release", count: 1, why: "permission" }],
  },
  {
    what: "are not among manifests",
    known: { ...inManifests, configMaps: [] },
    unread: [{ what: "signature of a release", count: 1, why: "not-checked" }],
  },
  {
    what: "are of releases without a digest",
    releases: [release, "quay.io/ocp:4.20.4"],
    known: { ...inManifests, configMaps: [signatures] },
    unread: [{ what: "signature of a release", count: 1, why: "not-checked" }],
  },
  { what: "are of no release", releases: [], known: { ...inManifests, configMaps: [] }, unread: [] },
])("When signatures $what, the unread ones should be $unread", ({ releases = [release], known, unread }) => {
  expect(checkSignatures(releases, known)).toEqual({ issues: [], unread });
});
