import { expect, test } from "vitest";
import { checkSignatures, signatureLabel, signatureNamespace } from "./release-signatures.ts";

const hex = (digit: string) => digit.repeat(64);
const configMap = (more: object, namespace = signatureNamespace) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "s", namespace, labels: { [signatureLabel]: "" } },
  ...more,
});

const release = `quay.io/ocp@sha256:${hex("1")}`;
const signatures = configMap({ data: { [`sha256-${hex("1")}-1`]: "" } });
const others = configMap({ data: { [`sha256-${hex("2")}-1`]: "" } });
const onHub = { isOfManifests: false, isDisconnected: false };
const inManifests = { isOfManifests: true, isDisconnected: false };

test.for<{ held: object; namespace?: string; isSigned: boolean }>([
  { held: { data: { [`sha256-${hex("1")}`]: "" } }, isSigned: true },
  { held: { binaryData: { [`sha256-${hex("1")}-1`]: "", other: "" } }, isSigned: true },
  { held: { binaryData: { [`sha256-${hex("1")}-1`]: "" } }, namespace: "default", isSigned: false },
  { held: { data: { [`x-sha256-${hex("1")}`]: "", [`sha256-${hex("1")}0`]: "" } }, isSigned: false },
])("When a ConfigMap of $namespace has $held, the release should be signed: $isSigned", (row) => {
  const configMaps = [configMap(row.held, row.namespace)];
  expect(checkSignatures([release], { ...onHub, configMaps }).issues.length === 0).toBe(row.isSigned);
});

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
