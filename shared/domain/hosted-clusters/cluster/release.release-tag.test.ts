import { expect, test } from "vitest";
import { versionInTag } from "./release.ts";

test.for([
  ["quay.io/ocp/release:4.20.4", "4.20.4"],
  ["quay.io/ocp/release:4.20.4-multi", "4.20.4"],
  ["quay.io/ocp/release:4.20.4-x86_64", "4.20.4"],
  ["quay.io/ocp/release:4.20.4-amd64", "4.20.4"],
  ["quay.io/ocp/release:4.20.4-aarch64", "4.20.4"],
  ["quay.io/ocp/release:4.20.4-arm64", "4.20.4"],
  ["quay.io/ocp/release:4.20.4-ppc64le", "4.20.4"],
  ["quay.io/ocp/release:4.20.4-s390x", "4.20.4"],
  ["quay.io/ocp/release:4.21.0-ec.3-multi-s390x", "4.21.0-ec.3"],
  ["quay.io/ocp/release:4.20.0-0.nightly-2026-01-02-030405", "4.20.0-0.nightly-2026-01-02-030405"],
  ["quay.io/ocp/release:4.20.4-multi-2", "4.20.4-multi-2"],
  ["quay.io/ocp/release:12345.12345.123456789", "12345.12345.123456789"],
  ["registry.lan:5000/release:4.20.4-multi@sha256:1", "4.20.4"],
  ["release:4.20.4", "4.20.4"],
] as const)("When the release is %s, its version should be %s", ([image, version]) => {
  expect(versionInTag(image)).toBe(version);
});

test.for([
  "",
  "quay.io/ocp/release",
  "registry.lan:5000/release",
  "quay.io/ocp/release@sha256:1",
  "quay.io/4.20.4/release:latest",
  "quay.io/ocp/4.20.4",
  "quay.io/ocp/release:v4.20.4",
  "quay.io/ocp/release:4.20",
  "quay.io/ocp/release:4.20.4.1",
  "quay.io/ocp/release:4.20.4-",
  "quay.io/ocp/release:4.20.4_1",
  "quay.io/ocp/release:4.20.4-rc_1",
  "quay.io/ocp/release:multi",
  "quay.io/ocp/release:123456.1.1",
  "quay.io/ocp/release:1.123456.1",
  "quay.io/ocp/release:1.1.1234567890",
])("When the release is '%s', its tag should have no version", (image) => {
  expect(versionInTag(image)).toBeUndefined();
});
