import { expect, test } from "vitest";
import { compareReleases, isVersion, parseRelease, releaseText, versionInTag } from "./release.ts";

test.for([
  ["4.18", { major: 4, minor: 18 }],
  ["4.18.3", { major: 4, minor: 18 }],
  ["4.23.0-ec.1", { major: 4, minor: 23 }],
  ["4.20.0-0.nightly-2026-01-02-030405", { major: 4, minor: 20 }],
  ["5.0.0+build.7", { major: 5, minor: 0 }],
  ["10.0.1", { major: 10, minor: 0 }],
  ["0.1", { major: 0, minor: 1 }],
  ["99999.99999.123456789", { major: 99999, minor: 99999 }],
] as const)("When the version is %s, it should be read as %o", ([text, release]) => {
  expect(parseRelease(text)).toEqual(release);
});

test.for([
  "",
  "4",
  "v4.18.3",
  "4.18.3 ",
  "04.18.3",
  "4.018.3",
  "4.x",
  "4.18-rc.1",
  "4.18.3-",
  "4.18.3.1",
  "4.18.3_1",
  "4.18.3-rc_1",
  "100000.1",
  "4.100000",
  "4.18.1234567890",
  "latest",
])('When the text is "%s", it should not be a version', (text) => {
  expect(parseRelease(text)).toBeUndefined();
});

test("When releases are ordered, it should be by number: 4.9 before 4.20 before 5.0", () => {
  const releases = [
    { major: 5, minor: 0 },
    { major: 4, minor: 9 },
    { major: 4, minor: 20 },
  ];
  expect(releases.sort(compareReleases).map(releaseText)).toEqual(["4.9", "4.20", "5.0"]);
});

test.for([
  ["quay.io/ocp/release:4.20.4", "4.20.4"],
  ...["multi", "x86_64", "amd64", "aarch64", "arm64", "ppc64le", "s390x"].map(
    (platform) => [`quay.io/ocp/release:4.20.4-${platform}`, "4.20.4"] as const,
  ),
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

test.for([
  { text: "4.20.4", is: true },
  { text: "4.21.0-rc.1", is: true },
  { text: "14.200.4000+build.5", is: true },
  { text: "4.20.4-rc/1", is: false },
  { text: "quay.io/a:4.20.4", is: false },
])("When $text is given, that it is a version should be $is", ({ text, is }) => {
  expect(isVersion(text)).toBe(is);
});
