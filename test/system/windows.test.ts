import { expect, test } from "vitest";
import { hubrelay } from "./cli-in-process.ts";

const night = `apiVersion: hubrelay.dev/v1alpha1
kind: MaintenanceWindow
metadata: {namespace: fleet, name: night}
spec:
  schedule: 0 2 * * *
  timeZone: Europe/Berlin
  duration: 2h30m
  exclusions:
  - {from: 2026-12-24, to: 2026-12-26, reason: holidays}
`;
const windows = (stdin: string, ...args: readonly string[]) =>
  hubrelay(["windows", "-f", "-", ...args], { stdin, variables: { TZ: "Asia/Tokyo" } });

test("When a window is open, its openings should be printed in UTC, the running one first", async () => {
  const args = ["--now", "2026-12-23T03:29:59+01:00", "--next", "2", "-o", "json"];
  const { stdout, exitCode } = await windows(night, ...args);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual([
    {
      namespace: "fleet",
      name: "night",
      openings: [
        { start: "2026-12-23T01:00:00Z", end: "2026-12-23T03:30:00Z" },
        { start: "2026-12-27T01:00:00Z", end: "2026-12-27T03:30:00Z" },
      ],
    },
  ]);
});

test("When the table is requested, openings should be printed in the fleet's time zone and in the reader's", async () => {
  const { stdout } = await windows(night, "--now", "2026-12-23T02:00:00Z", "--next", "2");
  expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["NAMESPACE", "NAME", "STATE", "FLEET START", "LOCAL START", "DURATION"],
    "fleet|night|open|Wed 2026-12-23 02:00 Europe/Berlin|Wed 2026-12-23 10:00 Asia/Tokyo|2h30m".split("|"),
    ["fleet", "night", "Sun 2026-12-27 02:00 Europe/Berlin", "Sun 2026-12-27 10:00 Asia/Tokyo", "2h30m"],
    [""],
  ]);
});

test("When there is no window, or none that opens, it should say so", async () => {
  const other = "apiVersion: v1\nkind: Namespace\nmetadata: {name: fleet}\n";
  expect(await windows(other)).toEqual({ stdout: "No MaintenanceWindows found.\n", stderr: "", exitCode: 0 });
  const { stdout } = await windows(night.replace("2h30m", "0h"));
  expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["NAMESPACE", "NAME", "STATE", "FLEET START", "LOCAL START", "DURATION"],
    ["fleet", "night", "shut", "-", "-", "-"],
    [""],
  ]);
});
