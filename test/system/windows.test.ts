import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
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
