import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay, onOneLine } from "./cli-in-process.ts";

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
  const { stdout, exitCode } = await windows(
    night,
    "--now",
    "2026-12-23T03:29:59+01:00",
    "--next",
    "2",
    "-o",
    "json",
  );
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
    [
      "fleet",
      "night",
      "open",
      "Wed 2026-12-23 02:00 Europe/Berlin",
      "Wed 2026-12-23 10:00 Asia/Tokyo",
      "2h30m",
    ],
    ["fleet", "night", "Sun 2026-12-27 02:00 Europe/Berlin", "Sun 2026-12-27 10:00 Asia/Tokyo", "2h30m"],
    [""],
  ]);
});

test("When one window cannot be read, it should have no openings, and the others theirs", async () => {
  const broken = night.replace("name: night", "name: broken").replace("2h30m", "0h");
  const { stdout, stderr, exitCode } = await windows(`${broken}---\n${night}`, "--next", "1", "-o", "json");
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    'MaintenanceWindow/fleet/broken spec.duration "0h": A window of zero length never opens.',
  );
  const listed: readonly { name: string; openings: readonly unknown[] }[] = JSON.parse(stdout);
  expect(listed.map(({ name, openings }) => [name, openings.length])).toEqual([
    ["broken", 0],
    ["night", 1],
  ]);
});

test("When a window is of another version or without a name, it should be reported and have no openings", async () => {
  const future = night.replace("v1alpha1", "v1");
  const nameless = night.replace(", name: night", "");
  const { stdout, stderr, exitCode } = await windows(`${future}---\n${nameless}---\n${night}`, "-o", "json");
  const listed: readonly { name: string; openings: readonly unknown[] }[] = JSON.parse(stdout);
  expect(listed.map(({ name, openings }) => [name, openings.length])).toEqual([
    ["night", 0],
    ["night", 3],
    ["", 0],
  ]);
  expect(onOneLine(stderr)).toContain(
    "MaintenanceWindow/fleet/night apiVersion: MaintenanceWindow is not served as hubrelay.dev/v1. Fix: Write apiVersion: hubrelay.dev/v1alpha1.",
  );
  expect(stderr.match(/metadata\.name: It is missing/g)).toHaveLength(1);
  expect(exitCode).toBe(1);
  expect((await hubrelay(["validate", "-f", "-"], { stdin: future })).stderr).toContain("is not served as");
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

test("When openings of a window overlap, they should be one, with a warning, and a manifest without a namespace be in default", async () => {
  const overlapping = night.replace("0 2 * * *", "0 0-4 * * *").replace("namespace: fleet, ", "");
  const options = ["--now", "2026-03-28T05:45:00Z", "--next", "2", "-o", "yaml"];
  const { stdout, stderr, exitCode } = await windows(overlapping, ...options);
  const at = (start: string, end: string) =>
    `  - start: "2026-03-${start}:00Z"\n    end: "2026-03-${end}:00Z"\n`;
  expect(stdout).toBe(
    `- namespace: default\n  name: night\n  openings:\n${at("28T23:00", "29T04:30")}${at("29T22:00", "30T04:30")}`,
  );
  expect(stderr).toContain("5h30m instead of 2h30m");
  expect(exitCode).toBe(0);
});

test("When a window never closes, it should be open without end, whatever it is asked for", async () => {
  const endless = night.replace("2h30m", "30h");
  const options = ["--now", "2026-12-31T05:45:00Z"];
  const { stdout } = await windows(endless, ...options);
  expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["NAMESPACE", "NAME", "STATE", "FLEET START", "LOCAL START", "DURATION"],
    [
      "fleet",
      "night",
      "open",
      "Sun 2026-12-27 02:00 Europe/Berlin",
      "Sun 2026-12-27 10:00 Asia/Tokyo",
      "without end",
    ],
    [""],
  ]);
  expect(JSON.parse((await windows(endless, ...options, "-o", "json")).stdout)).toMatchObject([
    { openings: [{ start: "2026-12-27T01:00:00Z", end: "9999-12-31T23:59:59Z" }] },
  ]);
});

test("When freezes leave no opening, it should be reported", async () => {
  const frozen = night.replace("2026-12-26", "9999-12-31").replace("2026-12-24", "2026-01-01");
  const { stderr, exitCode } = await windows(frozen, "--now", "2026-12-23T02:00:00Z");
  expect(exitCode).toBe(1);
  expect(stderr).toContain("Every opening from now on falls in a freeze");
});

test.for([
  ["--now", "2026-12-23T02:00:00"],
  ["--now", "tomorrow"],
  ["--now", "2026-02-30T00:00:00Z"],
  ["--now", "2026-02-01T24:00:00Z"],
  ["--next", "0"],
])("When the arguments are %s %s, the usage should be wrong", async (args) => {
  const { exitCode, stderr } = await windows(night, ...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(args[0]);
});

test("When windows are validated, each error should be reported with its field, its value and the remedy", async () => {
  const broken = night.replace("Europe/Berlin", "Europe/Berlni").replace("0 2 * * *", "0 2 30 2 *");
  const { stderr, exitCode } = await hubrelay(["validate", "-f", "-", "--issues", "json"], { stdin: broken });
  expect(exitCode).toBe(1);
  const issues = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(issues.flat().map(({ code, path, value }) => [code, path, value])).toEqual([
    ["NeverOpens", "spec.schedule", "0 2 30 2 *"],
    ["UnknownTimeZone", "spec.timeZone", "Europe/Berlni"],
  ]);
  expect((await hubrelay(["validate", "-f", "-"], { stdin: night })).exitCode).toBe(0);
});

test("When objects name a window that does not exist, validate should report each: of files as a warning, of the hub as an error", async () => {
  const annotations = "{hubrelay.dev/maintenance-window: fleet/nights}";
  const windowReferrers = [
    [
      "ran.openshift.io/v1alpha1",
      "ClusterGroupUpgrade",
      "namespace: ztp, ",
      "{clusters: [edge1], remediationStrategy: {maxConcurrency: 1}}",
    ],
    ["ran.openshift.io/v1alpha1", "PreCachingConfig", "namespace: ztp, ", "{}"],
    ["machineconfiguration.openshift.io/v1", "MachineConfigPool", "", "{}"],
  ].map(
    ([version, kind, namespace, spec]) =>
      `apiVersion: ${version}\nkind: ${kind}\nmetadata: {${namespace}name: own, annotations: ${annotations}}\nspec: ${spec}\n`,
  );
  const folder = await temporaryFolder();
  const cluster =
    "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata: {name: edge1}\n";
  await writeFile(join(folder, "all.yaml"), [night, cluster, ...windowReferrers].join("---\n"));
  const reported = async (args: readonly string[], hub?: string) => {
    const { stderr, exitCode } = await hubrelay(
      ["validate", "--issues", "json", ...args],
      hub ? { hub } : {},
    );
    const issues: readonly { severity: string; code: string; object: { kind: string } }[] = stderr
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    return {
      issues: issues.map(({ severity, code, object }) => `${severity} ${code} ${object.kind}`),
      exitCode,
    };
  };
  const all = (severity: string) =>
    ["ClusterGroupUpgrade", "PreCachingConfig", "MachineConfigPool"]
      .map((kind) => `${severity} WindowMissing ${kind}`)
      .sort();
  const ofFiles = await reported(["-f", folder]);
  expect({ ...ofFiles, issues: ofFiles.issues.toSorted() }).toEqual({ issues: all("warning"), exitCode: 0 });
  const ofHub = await reported([], `directory:${folder}`);
  expect({ ...ofHub, issues: ofHub.issues.toSorted() }).toEqual({ issues: all("error"), exitCode: 1 });
});
