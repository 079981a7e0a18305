import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { runOf } from "#shared/domain/precache-model/work-identity.ts";
import { isSuspended } from "#shared/domain/precache-start/work/manifest-work.ts";
import { seededRandom } from "../../../cli/simulation/fates.ts";
import { type JobReport, suspended, withReport } from "../../../cli/simulation/reported-status.ts";
import {
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
} from "../../support/precache/precache-plan-objects.ts";
import { aWindow } from "../../support/precache/precache-windows.ts";
import { hubRegistry } from "./night-tenants.ts";

/** The minutes after which work agents report. */
export const tickMinutes = 5;

const clustersPerSite = 12;
/** Sites with the time that one of their clusters pulls. */
const sites = { bergen: 40, bodo: 45, molde: 65, oslo: 30, stavanger: 50, tromso: 45, trondheim: 35 };
export const namesAt = (site: string) =>
  Array.from({ length: clustersPerSite }, (_, index) => `${site}-${index + 1}`);
export const siteOf = (cluster: string) => cluster.replace(/-\d+$/, "");
export const fleet = Object.keys(sites).flatMap(namesAt);

type Failure = Readonly<{ after: number; reason: string; image: string; detail: string }>;
const unauthorized: Failure = {
  after: 0.06,
  reason: "Unauthorized",
  image: `${hubRegistry}/apps/vran@sha256:7f83b165`,
  detail: "unauthorized: authentication required",
};
const noSpace: Failure = {
  after: 0.6,
  reason: "NoSpace",
  image: "",
  detail: "the images need 9.4 GiB more than /var/lib/containers has",
};
const cutOff: Failure = {
  after: 0.35,
  reason: "PullFailed",
  image: `${hubRegistry}/openshift/release@sha256:4d1f3f1f`,
  detail: "read tcp 10.20.4.7:41822: connection reset by peer",
};
const failures: ReadonlyMap<string, Failure> = new Map([
  ["bergen-2", unauthorized],
  ["bergen-5", unauthorized],
  ["bergen-6", unauthorized],
  ["oslo-3", noSpace],
  ["stavanger-1", cutOff],
  ["stavanger-4", cutOff],
  ["molde-2", cutOff],
]);
const offline = new Set(["trondheim-4", "oslo-8"]);

const imagesTotal = 192;
const bytesTotal = 29_400_000_000;

const progressOf = (part: number) => ({
  imagesDone: String(Math.floor(imagesTotal * part)),
  imagesTotal: String(imagesTotal),
  bytesDone: String(Math.floor(bytesTotal * part)),
  bytesTotal: String(bytesTotal),
});

/** Returns what the work agent of a cluster reports when it has pulled a part of its images. */
function reportOf(cluster: string, part: number): JobReport {
  const failure = failures.get(cluster);
  if (failure && part >= failure.after) {
    const { reason, image, detail } = failure;
    return {
      job: { failedStatus: "True", failedReason: "BackoffLimitExceeded" },
      progress: { ...progressOf(failure.after), reason, image, detail },
    };
  }
  if (part >= 1) return { job: { succeeded: 1, complete: "True" }, progress: progressOf(1) };
  return { job: { active: 1 }, progress: progressOf(part) };
}

/** The parts that clusters have pulled, as their links permit. */
export function agentsOf(hub: { put(object: KubernetesObject): void }) {
  const random = seededRandom(7);
  const minutesOf = new Map(
    fleet.map((name) => [name, (sites[siteOf(name) as keyof typeof sites] ?? 40) * (0.8 + 0.5 * random())]),
  );
  const parts = new Map<string, number>();
  return (works: readonly KubernetesObject[]): void => {
    for (const work of works) {
      const cluster = work.metadata.namespace ?? "";
      const run = runOf(work);
      const before = parts.get(cluster) ?? 0;
      if (!run || offline.has(cluster)) continue;
      if (isSuspended(work)) {
        hub.put(withReport(work, run, suspended));
        continue;
      }
      const part = before + tickMinutes / (minutesOf.get(cluster) ?? 40);
      parts.set(cluster, part);
      hub.put(withReport(work, run, reportOf(cluster, before === 0 ? 0.001 : part)));
    }
  };
}

const compliance = (clusters: readonly string[]) =>
  Object.fromEntries(clusters.map((name) => [name, "NonCompliant"]));

/** An upgrade of these clusters to a release, with its policy and its configuration. */
export function upgradeTo(
  name: string,
  clusters: readonly string[],
  [version, image]: readonly [string, string],
  annotations: Readonly<Record<string, string>>,
  additionalImages: readonly string[] = [],
): readonly KubernetesObject[] {
  const metadata = { namespace: "fleet", name };
  const policy = `platform-${name}`;
  return [
    aPolicy(policy, [aWantedRelease({ desiredUpdate: { version, image } })], compliance(clusters)),
    aPreCachingConfig({ spaceRequired: "45 GiB", additionalImages }, metadata),
    anUpgrade(
      {
        clusters,
        managedPolicies: [policy],
        preCachingConfigRef: metadata,
        remediationStrategy: { maxConcurrency: 60, timeout: 240 },
      },
      { ...metadata, annotations: { "hubrelay.dev/site-label": "site", ...annotations } },
    ),
  ];
}

export const windows = [
  aWindow("north-nights", {
    schedule: "0 0 * * *",
    timeZone: "Europe/Oslo",
    duration: "3h",
    clusterSelector: { matchExpressions: [{ key: "site", operator: "In", values: ["bodo", "tromso"] }] },
    exclusions: [{ from: "2026-03-07", to: "2026-03-09", reason: "regional elections" }],
  }),
  aWindow("hub-weekends", {
    schedule: "0 2 * * SAT",
    timeZone: "Europe/Oslo",
    duration: "8h",
    clusterSelector: undefined,
    exclusions: [{ from: "2026-03-14", to: "2026-03-15", reason: "end of the quarter" }],
    allow: { preCaching: false, maxCost: { master: "reboot", worker: "reboot" } },
  }),
].map((window) => ({ ...window, metadata: { ...window.metadata, namespace: "fleet" } }));
