import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { ClusterCheck } from "#shared/domain/precache-model/check-record.ts";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { reportsFor } from "../support/precache/precache-snapshots.ts";
import { aPlannedUpgrade } from "../support/precache/precache-system.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const since = "2026-03-01T02:00:00Z";
const cached = { state: "Succeeded", reason: "Completed", message: "", attempt: 1, since } as const;
const records: Readonly<Record<string, ClusterRecord>> = {
  sno1: {
    ...cached,
    check: { started: since, attempt: 1, checked: since, imagesPresent: 1, imagesTotal: 9 },
  },
  sno2: cached,
  sno3: { ...cached, state: "Active", reason: "Pulling" },
};

/** A folder with an upgrade of three clusters, of which two have succeeded. */
async function aFolder(): Promise<string> {
  const folder = await temporaryFolder();
  const cgu = aPlannedUpgrade(Object.keys(records));
  const items = [cgu, ...reportsFor(cgu, records)];
  await writeFile(join(folder, "hub.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  return folder;
}

/** Records these results as soon as a check is requested, and returns what was requested. */
async function answered(folder: string, results: Readonly<Record<string, Partial<ClusterCheck>>>) {
  const hub = openDirectoryHub(folder);
  const stop = new AbortController();
  try {
    for await (const change of hub.watch(kinds.ClusterGroupUpgrade, stop.signal)) {
      const requested = "object" in change && change.object.metadata.annotations?.["hubrelay.dev/check"];
      if (!requested) continue;
      const report = await hub.get(kinds.PreCachingReport, "upgrade-0", "default");
      const checked = new Date().toISOString();
      const clusters = Object.fromEntries(
        Object.entries(records).map(([name, record]) => {
          const result = results[name];
          return [
            name,
            result ? { ...record, check: { started: checked, attempt: 1, checked, ...result } } : record,
          ];
        }),
      );
      if (report) await hub.update({ ...report, clusters });
      return requested;
    }
  } finally {
    stop.abort();
    hub.close();
  }
  return undefined;
}

async function check(args: readonly string[], results: Readonly<Record<string, Partial<ClusterCheck>>> = {}) {
  const folder = await aFolder();
  const [result, requested] = await Promise.all([
    hubrelay(["precache", "check", ...args], { hub: `directory:${folder}` }),
    answered(folder, results),
  ]);
  return { ...result, requested };
}

const all = { imagesPresent: 9, imagesTotal: 9 };
const some = { imagesPresent: 7, imagesTotal: 9, message: "quay.io/app/a@sha256:1, quay.io/app/b@sha256:2" };
const unknown = { message: "The cluster's agent was unreachable for 15 min." };

test("When every image is there, a check should show that and exit with 0", async () => {
  const { stdout, stderr, exitCode, requested } = await check(["default/upgrade"], { sno1: all, sno2: all });
  expect({ exitCode, requested, stderr }).toEqual({
    exitCode: 0,
    requested: "all",
    stderr: "hubrelay: default/upgrade: check requested on 2 clusters\n",
  });
  expect(stdout).toMatch(
    /^CLUSTER {2}PRESENT {2}MISSING {2}AGE {2}MESSAGE\nsno1 {5}9\/9 {6}0 {8}\ds\nsno2 {5}9\/9 /,
  );
});

test("When images are missing, a check should name them and exit with 1", async () => {
  const { stdout, exitCode } = await check(["upgrade"], { sno1: some, sno2: unknown });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/\nsno1 +7\/9 +2 +\ds +quay\.io\/app\/a@sha256:1, quay\.io\/app\/b@sha256:2\n/);
  expect(stdout).toMatch(/\nsno2 +- +unknown +\ds +The cluster's agent was unreachable/);
});

test("When a cluster could not be checked, the reason should be reported, and the exit code be 2", async () => {
  const args = ["upgrade", "--cluster", "sno2", "-o", "json"];
  const { stdout, stderr, exitCode, requested } = await check(args, { sno2: unknown });
  expect({ exitCode, requested }).toEqual({ exitCode: 2, requested: "sno2" });
  expect(stderr).toContain("sno2: The cluster's agent was unreachable for 15 min.");
  expect(JSON.parse(stdout)).toEqual({
    cgu: "upgrade",
    clusters: [{ name: "sno2", checked: expect.any(String), message: unknown.message }],
  });
});

test("When no result comes in time, the clusters should be shown as unknown", async () => {
  const { stdout, exitCode } = await check(["upgrade", "--timeout", "1s"], { sno1: all });
  expect(exitCode).toBe(2);
  expect(stdout).toMatch(/\nsno2 +- +unknown +- +The check has not ended in time\.\n/);
});

test("When a check is not waited for, it should only be requested", async () => {
  const { stdout, exitCode, requested } = await check(["upgrade", "--no-wait"]);
  expect({ stdout, exitCode, requested }).toEqual({ stdout: "", exitCode: 0, requested: "all" });
});
