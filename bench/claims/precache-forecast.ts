import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plannedStatus } from "#functions/precache-plan/planned-status.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { changedReports } from "#shared/domain/precache-model/precaching-report.ts";
import { planAll } from "#shared/domain/precache-plan/plan-all.ts";
import { planInputsOf } from "#shared/domain/precache-plan/plan-input.ts";
import { graphLookup } from "#shared/domain/precache-plan/plan-precache.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { fatesOf } from "../../cli/simulation/fates.ts";
import { fleetObjects } from "../../cli/simulation/fleet-objects.ts";
import type { Claim } from "../claim.ts";
import { inTurns, median, series } from "../measure.ts";
import { commandFile, commandTime } from "../support/command-time.ts";

const goalMs = 5_000;
const totalBytes = 9 * 10 ** 9;

const annotations = {
  "hubrelay.dev/site-label": "site",
  "hubrelay.dev/max-per-site": "3",
  "hubrelay.dev/bandwidth": "100",
  "hubrelay.dev/maintenance-window": "nights",
};

function reportsOf(cgu: KubernetesObject, objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const [input] = planInputsOf(objects, undefined);
  const [planned] = input
    ? planAll([{ ...input, lookup: graphLookup(new Map()) }], noExternalPorts.planning)
    : [];
  if (!planned) throw new Error("nothing is planned");
  const now = new Date();
  const { status } = plannedStatus(cgu, planned.plan, { isTalmSeen: false, isNewWorkload: false, now });
  const upgrade = plannedUpgrade({ ...cgu, status });
  if (!upgrade) throw new Error("nothing is planned");
  const { name, revision, clusters } = upgrade;
  const since = now.toISOString();
  const fields = { state: "Succeeded", reason: "Completed", message: "", attempt: 1, since } as const;
  const done = { ...fields, bytesDone: totalBytes, bytesTotal: totalBytes };
  const records = new Map([[clusters[0] ?? "", done]]);
  return changedReports([], { cgu, name, revision, clusters, records, lookAt: undefined, now });
}

function manifestsOf(clusters: number): readonly KubernetesObject[] {
  const fates = fatesOf({ clusters, seed: 1, maxJobMs: 1, offlineMs: 1 });
  const objects = fleetObjects(fates, { maxConcurrency: 200, timeoutMinutes: 240 }).map((object) =>
    object.kind === kinds.ClusterGroupUpgrade.kind
      ? { ...object, metadata: { ...object.metadata, annotations } }
      : object,
  );
  const cgu = objects.find(({ kind }) => kind === kinds.ClusterGroupUpgrade.kind);
  if (!cgu) throw new Error("no upgrade");
  const { apiVersion, kind } = kinds.MaintenanceWindow;
  const spec = { schedule: "0 2 * * *", timeZone: "UTC", duration: "4h", allow: { preCaching: true } };
  const window = { apiVersion, kind, metadata: { namespace: "default", name: "nights" }, spec };
  return [...objects, window, ...reportsOf(cgu, objects)];
}

const plan = (args: readonly string[], expected: RegExp) =>
  commandTime([commandFile, "precache", "plan", ...args], ({ stdout }) => expected.test(stdout));

export const precacheForecast: Claim = {
  name: "precache-forecast",
  goal: "hubrelay precache plan says when 3,500 clusters are done within 5 s of processor time, process start to end",
  async run({ smoke }) {
    const clusters = smoke ? 100 : 3_500;
    await using folder = await mkdtempDisposable(join(tmpdir(), "hubrelay-forecast-"));
    const list = { apiVersion: "v1", kind: "List", items: manifestsOf(clusters) };
    await writeFile(join(folder.path, "hub.json"), JSON.stringify(list));
    const forecast = new RegExp(`^  forecast  ${clusters - 1} more by `, "m");
    const ours = series(() => plan(["-f", folder.path], forecast));
    await inTurns(smoke ? 1 : 5, ours);
    const subjectMs = median(ours.values);
    return [
      {
        subject: `${clusters.toLocaleString("en")} clusters at ${Math.ceil(clusters / 20)} sites: precache plan with its forecast`,
        against: `${goalMs / 1000} s of processor time`,
        ratio: subjectMs / goalMs,
        measures: "processor time",
        goal: { atMost: 1 },
        numbers: { subjectMs },
      },
    ];
  },
};
