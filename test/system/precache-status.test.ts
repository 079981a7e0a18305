import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { withoutVersion } from "#shared/domain/images/image-reference.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { aManagedCluster, anImageBasedUpgrade } from "../support/precache/precache-plan-objects.ts";
import { reportsFor } from "../support/precache/precache-snapshots.ts";
import { aPlannedUpgrade } from "../support/precache/precache-system.ts";
import { aReadinessReport } from "../support/ready/readiness-reports.ts";
import { kubeConfigFor, respondJson, respondStatus, scriptedApi } from "../support/servers/scripted-api.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { startOnTerminal, whyNoTerminal } from "../support/terminal/pseudo-terminal.ts";
import { hubrelay } from "./cli-in-process.ts";

const since = "2026-03-01T02:00:00Z";
const failure = {
  reason: "PullFailed",
  message: "quay.io/a@sha256:1: unauthorized",
  attempt: 1,
  since,
} as const;
const done = { state: "Succeeded", reason: "Completed", message: "", attempt: 1 } as const;
const clusters = {
  sno1: { ...done, since, imagesDone: 190, imagesTotal: 190 },
  sno2: { state: "UnrecoverableError", ...failure },
  sno3: { state: "Active", reason: "Pulling", attempt: 2, since, imagesDone: 12, imagesTotal: 190 },
} as const;

/** An upgrade of four clusters, of which one has not started, with its report. */
function objects(): readonly KubernetesObject[] {
  const cgu = aPlannedUpgrade(["sno1", "sno2", "sno3", "sno4"]);
  return [cgu, ...reportsFor(cgu, clusters)];
}

async function aFolder(): Promise<string> {
  const folder = await temporaryFolder();
  const list = { apiVersion: "v1", kind: "List", items: objects() };
  await writeFile(join(folder, "hub.json"), JSON.stringify(list));
  return folder;
}

test("When a fleet is in progress, status should show the bar, the states, and who failed and why", async () => {
  const folder = await aFolder();
  const { stdout, exitCode } = await hubrelay(["precache", "status", "-f", folder]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("##########xxxxxxxxxx==========..........  2/4 ended");
  expect(stdout).toContain("  1 done, 1 failed, 1 pulling, 1 waiting\n");
  expect(stdout).toMatch(
    /\n {2}CLUSTER .*\n {2}sno2 +failed .* PullFailed: quay\.io\/a@sha256:1: unauthorized\n {2}sno3 +pulling +\S+ +12\/190\n(?:.*\n)* {2}Fix of PullFailed: Check the registry .*\n {2}Then: hubrelay precache retry default\/upgrade\n/,
  );
});

test("When an ImageBasedGroupUpgrade handles all clusters of an upgrade, status should name them with the reason", async () => {
  const folder = await temporaryFolder();
  const planned = { ...aPlannedUpgrade([]), spec: { preCaching: true, clusters: ["sno1"] } };
  const handled = { clusters: [{ name: "sno1", currentAction: { action: "Prep" } }] };
  const items = [planned, aManagedCluster("sno1"), anImageBasedUpgrade({}, handled)];
  await writeFile(join(folder, "hub.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const { stdout } = await hubrelay(["precache", "status", "-f", folder]);
  expect(stdout).toBe(
    "default/upgrade  no cluster is planned\nLeft alone\n  sno1  ImageBasedGroupUpgrade ztp/ibgu upgrades it, now at Prep; its Prep stage pre-caches by itself.\n",
  );
});

test("When TALM pre-caches an upgrade, status should show its states, also beside upgrades of hubrelay", async () => {
  const folder = await temporaryFolder();
  const [cgu, report] = objects();
  const talm = { ...aPlannedUpgrade([]), metadata: { namespace: "ztp", name: "talm" } };
  const status = { precaching: { status: { sno7: "Succeeded", sno8: "Active", sno9: "Active" } } };
  const waiting = {
    ...aPlannedUpgrade([]),
    metadata: { namespace: "ztp", name: "waiting", finalizers: ["ran.openshift.io/cleanup-finalizer"] },
    spec: { preCaching: true },
    status: {},
  };
  const write = (...items: readonly unknown[]) =>
    writeFile(join(folder, "hub.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const shown =
    "ztp/talm: TALM pre-caches it\n  Succeeded  1 cluster: sno7\n  Active  2 clusters: sno8, sno9\n\nztp/waiting: TALM pre-caches it, and has no states yet\n";
  await write({ ...talm, status }, waiting);
  expect((await hubrelay(["precache", "status", "-f", folder])).stdout).toBe(shown);
  await write(cgu, report, { ...talm, status }, waiting);
  const { stdout } = await hubrelay(["precache", "status", "-f", folder]);
  expect(stdout).toContain("2/4 ended");
  expect(stdout.endsWith(`\n\n${shown}`)).toBe(true);
  const due = await hubrelay(["precache", "status", "-f", folder, "ztp/talm", "--by", "saturday"]);
  expect(due.stdout).toMatch(/^unknown: TALM pre-caches it, and hubrelay has no forecast\nztp\/talm: TALM/);
  expect(due.exitCode).toBe(2);
});

test("When JSON is requested, status should contain every planned cluster, including those that have not started", async () => {
  const folder = await aFolder();
  const { stdout } = await hubrelay(["precache", "status", "upgrade", "-f", folder, "-o", "json"]);
  expect(JSON.parse(stdout)).toMatchObject([
    {
      namespace: "default",
      name: "upgrade",
      total: 4,
      ended: 2,
      states: { NotStarted: 1, Active: 1, Succeeded: 1, UnrecoverableError: 1 },
      clusters: [
        { name: "sno1", state: "Succeeded", imagesDone: 190 },
        { name: "sno2", ...failure },
        { name: "sno3", attempt: 2 },
        { name: "sno4", state: "NotStarted" },
      ],
    },
  ]);
});

test("When a cluster has lost images, or no index has a package, status should show both", async () => {
  const folder = await aFolder();
  const [cgu, report] = objects();
  const check = { started: since, attempt: 1, checked: since, imagesPresent: 187, imagesTotal: 190 };
  const lost = { ...clusters.sno1, check: { ...check, message: "quay.io/a@sha256:1" } };
  const incomplete = {
    ...clusters.sno1,
    reason: "PackagesNotFound",
    message: "no index has sriov-fec:stable",
  };
  const items = [cgu, { ...report, clusters: { ...clusters, sno1: lost, sno4: incomplete } }];
  await writeFile(join(folder, "hub.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const { stdout } = await hubrelay(["precache", "status", "-f", folder]);
  expect(stdout).toMatch(
    /\nImages missing\n {2}CLUSTER +PRESENT +CHECKED +MISSING\n {2}sno1 +187\/190 +\d+d +quay/,
  );
  expect(stdout).toMatch(/\n {2}sno4 +done .* PackagesNotFound: no index has sriov-fec:stable\n/);
});

/** Adds the ReadinessReport of the upgrade: twelve images are missing since a check of this age. */
async function addReport(folder: string, minutesAgo: number): Promise<void> {
  const [cgu] = objects();
  if (!cgu) throw new Error("no upgrade");
  const images = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`quay.io/a:${10 + index}`, "missing" as const]),
  );
  const at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
  const report = aReadinessReport(cgu, { ...images, "quay.io/b:1": "ready" }, at);
  await writeFile(join(folder, "ready.json"), JSON.stringify(report));
}

test("When mirrors lack images, status should show how many, the first of them and the fix, from files and from the hub", async () => {
  const folder = await aFolder();
  await addReport(folder, 12);
  for (const from of [["-f", folder], []]) {
    const { stdout, exitCode } = await hubrelay(["precache", "status", ...from], {
      hub: `directory:${folder}`,
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`
  Ready: no, 12 of 13 images are missing (checked 12m ago)
    quay.io/a:10: missing
    quay.io/a:11: missing
    quay.io/a:12: missing
    quay.io/a:13: missing
    quay.io/a:14: missing
    quay.io/a:15: missing
    quay.io/a:16: missing
    quay.io/a:17: missing
    quay.io/a:18: missing
    quay.io/a:19: missing
    and 2 more
    Fix: mirror missing images, or change the rule; 'hubrelay ready --cgu default/upgrade' shows where nodes look for each image
`);
  }
  const { stdout: wide } = await hubrelay(["precache", "status", "-f", folder, "-o", "wide"]);
  expect(wide).toContain("    quay.io/a:21: missing\n    Fix: ");
  const { stdout: json } = await hubrelay(["precache", "status", "-f", folder, "-o", "json"]);
  expect(JSON.parse(json)[0].readiness).toMatchObject({
    ready: "False",
    reason: "ImagesNotReady",
    message: "12 of 13 images are missing",
    notReadyCount: 12,
  });
});

test.for([
  ["does not serve ReadinessReports", 404, "NotFound"],
  ["forbids reading them", 403, "Forbidden"],
] as const)("When the hub %s, status should show the progress without them", async ([, status, reason]) => {
  const { url } = await scriptedApi(({ path }, response) => {
    const kind = Object.values(kinds).find(({ apiVersion, plural }) =>
      path.endsWith(`/${apiVersion}/${plural}`),
    );
    if (!kind || kind === kinds.ReadinessReport) return respondStatus(response, status, reason);
    const items = objects()
      .filter((object) => object.kind === kind.kind)
      .map((object) => ({ ...object, metadata: { uid: "1", resourceVersion: "1", ...object.metadata } }));
    const metadata = { resourceVersion: "1" };
    return respondJson(response, 200, { kind: `${kind.kind}List`, metadata, items });
  });
  const folder = await temporaryFolder();
  const path = join(folder, "kubeconfig");
  await writeFile(path, kubeConfigFor(url, { token: "one" }).exportConfig());
  const { stdout, stderr, exitCode } = await hubrelay(["precache", "status"], { hub: `kubeconfig:${path}` });
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toContain("2/4 ended");
  expect(stdout).not.toContain("Ready:");
});

test("When a retry is requested on the hub, the upgrade should contain it, together with earlier requests", async () => {
  const folder = await aFolder();
  const hub = `directory:${folder}`;
  expect(await hubrelay(["precache", "retry", "upgrade"], { hub })).toMatchObject({
    exitCode: 0,
    stderr: "",
  });
  const { stdout } = await hubrelay(["precache", "retry", "default/upgrade", "--cluster", "sno1"], { hub });
  expect(stdout).toBe("default/upgrade: retry requested on 1 cluster: sno1\n");
  const opened = openDirectoryHub(folder);
  onTestFinished(() => opened.close());
  const cgu = await opened.get(kinds.ClusterGroupUpgrade, "upgrade", "default");
  expect(cgu?.metadata.annotations).toEqual({ "hubrelay.dev/retry": "failed,sno1" });
});

test("When a retry is only tried, it should name the clusters and write nothing", async () => {
  const folder = await aFolder();
  const hub = `directory:${folder}`;
  expect(await hubrelay(["precache", "retry", "upgrade", "--dry-run"], { hub })).toEqual({
    stdout: "upgrade: retry would be requested on 1 cluster: sno2\n",
    stderr: "",
    exitCode: 0,
  });
  const opened = openDirectoryHub(folder);
  onTestFinished(() => opened.close());
  const cgu = await opened.get(kinds.ClusterGroupUpgrade, "upgrade", "default");
  expect(cgu?.metadata.annotations).toBeUndefined();
});

test.for(["upgrade", "default/upgrade"])(
  "When manifests have no namespace, status of %s should find the upgrade with its reports in the namespace default",
  async (name) => {
    const [cgu] = objects();
    const readiness = cgu && [aReadinessReport(cgu, { "quay.io/a:1": "missing" }, new Date().toISOString())];
    const items = [...objects(), ...(readiness ?? [])].map(({ metadata, ...object }) => {
      const { namespace: _, ...rest } = metadata;
      return { ...object, metadata: rest };
    });
    const { stdout, stderr, exitCode } = await hubrelay(["precache", "status", name, "-f", "-"], {
      stdin: JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toMatch(/^default\/upgrade {2}.*\n.* 2\/4 ended/);
    expect(stdout).toContain("1 of 1 images is missing");
  },
);

test("When clusters are late for a time, status should name them and what limits them", async () => {
  const folder = await temporaryFolder();
  const annotations = { "hubrelay.dev/bandwidth": "10" };
  const cgu = aPlannedUpgrade(["sno1", "sno2", "sno3"], { annotations, maxConcurrency: 1 });
  const done = { state: "Succeeded", bytesDone: 9 * 10 ** 9, bytesTotal: 9 * 10 ** 9 } as const;
  const items = [cgu, ...reportsFor(cgu, { sno1: done })];
  await writeFile(join(folder, "hub.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const by = new Date(Date.now() + 3_600_000).toISOString();
  const args = ["precache", "status", "-f", folder, "--by", by];
  const before = reportsFor(cgu, {});
  await writeFile(
    join(folder, "hub.json"),
    JSON.stringify({ apiVersion: "v1", kind: "List", items: [cgu, ...before] }),
  );
  expect(await hubrelay([...args, "--size", "9GB"])).toMatchObject({
    stdout: expect.stringMatching(/^no: 3 of 3 clusters are late/),
    exitCode: 1,
  });
  const { platformImage: image = "" } = plannedUpgrade(cgu)?.content ?? {};
  for (const sizes of [["1GB"], [`${image}=1GB`, `${withoutVersion(image)}=9GB`]])
    expect(await hubrelay([...args, ...sizes.flatMap((size) => ["--size", size])])).toMatchObject({
      stdout: expect.stringMatching(/^yes: all 3 clusters have their images/),
      exitCode: 0,
    });
  expect(await hubrelay([...args, "--size", "quay.io/other=1GB"])).toMatchObject({
    stderr: `hubrelay: --size has no size of ${image}, which default/upgrade pulls. Add --size ${withoutVersion(image)}=SIZE.\n`,
    exitCode: 2,
  });
  await writeFile(join(folder, "hub.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const { stdout, exitCode } = await hubrelay(args);
  expect(exitCode).toBe(1);
  const due = `${new Date(by).toUTCString().slice(0, 3)} ${by.slice(0, 16).replace("T", " ")} UTC`;
  expect(stdout.split("\n")[0]).toBe(`no: 2 of 3 clusters are late for ${due}`);
  // 9 GB at 10 Mbit/s are two hours.
  expect(stdout).toMatch(
    /\n {2}forecast: 2 more by .*; by .* UTC: 2 late\n {2}late: sno2, sno3\n {2}limited by: maxConcurrency allows 1 at a time\n/,
  );
  const one = await hubrelay([...args, "--cluster", "sno2"]);
  expect(one.stdout).toMatch(/\n {2}expected +by .*, at the latest .*: late\n/);
  const [{ forecast }] = JSON.parse((await hubrelay([...args, "-o", "json"])).stdout);
  expect(forecast.limits).toEqual(["maxConcurrency allows 1 at a time"]);
});

test.skipIf(whyNoTerminal)(
  "When status is watched on a terminal, it should show the fleet in place, follow it, and end with it",
  because(whyNoTerminal),
  async () => {
    const folder = await aFolder();
    const args = ["precache", "status", "--watch"];
    const { shows, visible, ended } = await startOnTerminal(80, 24, args, {
      variables: { HUBRELAY_HUB: `directory:${folder}` },
    });
    await shows(/^ {2}#+x+.* {2}2\/4 ended$/m);
    await shows(/^ {2}sno3 +pulling +\S+ +12\/190$/m);

    const hub = openDirectoryHub(folder);
    const report = await hub.get(kinds.PreCachingReport, "upgrade-0", "default");
    if (!report) throw new Error("the report is gone");
    const { sno1 } = clusters;
    await hub.update({ ...report, clusters: { ...clusters, sno3: sno1, sno4: sno1 } });
    hub.close();
    expect(await ended).toBe(0);
    expect(visible().join("\n")).toMatch(/4\/4 ended/);
  },
);
