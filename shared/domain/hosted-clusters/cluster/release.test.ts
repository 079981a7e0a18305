import { expect, test } from "vitest";
import { compareReleases, parseRelease, releaseText } from "./release.ts";

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
])('When the text is "%s", it should be no version', (text) => {
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
