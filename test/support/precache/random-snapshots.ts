import fc from "fast-check";
import { decide as decidePlan } from "#functions/precache-plan/decide.ts";
import type { Snapshot as PlanSnapshot } from "#functions/precache-plan/observe.ts";
import { decide as decideReady } from "#functions/precache-ready/decide.ts";
import type { Snapshot as ReadySnapshot } from "#functions/precache-ready/observe.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Action } from "#shared/domain/plan/plan.ts";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { planInputsOf } from "#shared/domain/precache-plan/plan-input.ts";
import { notQueried } from "#shared/domain/precache-plan/policies/update-graph.ts";
import { withSuspend } from "#shared/domain/precache-start/work/manifest-work.ts";
import type { ReadyStatus } from "#shared/domain/ready/judge.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { reported } from "./precache-objects.ts";
import { base, talmLease } from "./precache-plan-hub.ts";
import * as planning from "./precache-plan-objects.ts";
import { reportsOf } from "./precache-reports.ts";
import { anUpgrade, overUpgrade, reportsFor, runOfUpgrade, workFor } from "./precache-snapshots.ts";
import { start as now } from "./precache-system.ts";
import { aWindow } from "./precache-windows.ts";

/* Random hubs, as each function that pre-caches reads them. */

const names = ["sno1", "sno2", "sno3"];
const records = {
  fresh: undefined,
  claimed: { state: "PreparingToStart", reason: "Claimed" },
  returning: { state: "PreparingToStart", reason: "Claimed", suspend: false },
  retried: { state: "PreparingToStart", reason: "Claimed", attempt: 2 },
  pulling: { state: "Active", reason: "Pulling" },
  pausing: { state: "Active", reason: "Pulling", suspend: true },
  suspended: { state: "Starting", reason: "Suspended", suspend: true },
  unreached: { state: "Starting", reason: "ClusterNotReached" },
  returned: { reason: "Returned", suspend: true },
  done: { state: "Succeeded", reason: "Completed" },
  failed: { state: "UnrecoverableError", reason: "PullFailed" },
  late: { state: "PrecacheTimeout", reason: "NoReport" },
} as const satisfies Record<string, Partial<ClusterRecord> | undefined>;
const jobs = [undefined, {}, { active: 1 }, { complete: "True" }, { failedStatus: "True" }, "gone"] as const;
const perCluster = <Item>(item: fc.Arbitrary<Item>) =>
  fc.array(item, { minLength: names.length, maxLength: names.length });

/** An upgrade at any moment, its reports and ManifestWorks, which need not agree. */
const upgradesUnderWay = fc
  .record({
    kept: perCluster(fc.constantFrom(...(Object.keys(records) as (keyof typeof records)[]))),
    inStatus: perCluster(fc.constantFrom(undefined, "PreparingToStart", "Active", "Succeeded")),
    found: perCluster(fc.constantFrom(...jobs)),
    isHeld: fc.boolean(),
    hasPlan: fc.constantFrom("planned", "planned", "planned", "over", "none", "gone", "deleted"),
    isNewContent: fc.boolean(),
    retry: fc.constantFrom(undefined, undefined, "failed", "sno1"),
    isScheduled: fc.boolean(),
    isReported: fc.constantFrom(true, true, true, false),
    isNight: fc.boolean(),
    isReadyRequired: fc.boolean(),
  })
  .map(
    ({
      kept,
      inStatus,
      found,
      isHeld,
      hasPlan,
      isNewContent,
      retry,
      isScheduled,
      isReported,
      isNight,
      isReadyRequired,
    }) => {
      const states = Object.fromEntries(
        inStatus.flatMap((state, index) => (state ? [[names[index] ?? "", state]] : [])),
      );
      const annotations: Readonly<Record<string, string>> = {
        ...(retry ? { "hubrelay.dev/retry": retry } : {}),
        ...(isReadyRequired ? { "hubrelay.dev/require-ready": "true" } : {}),
      };
      const planned = anUpgrade(names, { states, annotations });
      const earlier = anUpgrade(names, isNewContent ? { platformImage: "quay.io/other:1" } : {});
      const deleted = Object.assign({ deletionTimestamp: "2026-03-01T02:00:00Z" }, planned.metadata);
      const { precaching } = Object(planned.status);
      const cgu = {
        planned,
        over: overUpgrade(planned),
        none: {
          ...planned,
          status: { ...Object(planned.status), precaching: { ...precaching, clusters: [] } },
        },
        gone: undefined,
        deleted: { ...planned, metadata: deleted },
      }[hasPlan];
      const recorded = kept.flatMap((name, index) => {
        const fields = records[name];
        return fields ? [[names[index] ?? "", fields] as const] : [];
      });
      const works = found.flatMap((job, index) => {
        if (job === "gone") return [];
        const work = workFor(earlier, names[index] ?? "");
        const seen = job ? reported(work, { job }, runOfUpgrade(earlier)) : work;
        return [(isHeld && withSuspend(seen, true)) || seen];
      });
      const lookAt = isScheduled ? { lookAt: now } : {};
      const reports = isReported ? reportsFor(earlier, Object.fromEntries(recorded), lookAt) : [];
      const windows = isNight ? [] : [aWindow("day", { schedule: "0 12 * * *" })];
      return { cgu, reports, works, windows };
    },
  );

/** The snapshots of precache-status. */
export const ofStatus = upgradesUnderWay.chain((hub) =>
  fc.record({ isListed: fc.boolean(), minutes: fc.constantFrom(0, 2, 300) }).map(({ isListed, minutes }) => ({
    now: new Date(now.getTime() + minutes * 60_000),
    hubId: "urn:test:hub",
    name: { namespace: "default", name: "upgrade" },
    cgu: hub.cgu,
    reports: hub.reports,
    all: hub.works,
    works: isListed ? hub.works : undefined,
    read: new Map(hub.works.map((work) => [work.metadata.namespace ?? "", work] as const)),
    unread: [],
    surroundings: { windows: hub.windows, configs: [], managedClusters: [], others: [] },
  })),
);

/** The snapshots of precache-cluster. */
export const ofCluster = upgradesUnderWay.map(({ cgu, reports, works }) => ({
  now,
  cgu,
  clusters: names,
  reports,
  config: undefined,
  others: [],
  managedClusters: [],
  planning: noExternalPorts.planning,
  works,
}));

/** The snapshots of maintenance-window. */
export const ofWindows = upgradesUnderWay.map(({ cgu, reports, windows }) => ({
  now,
  hubId: "urn:test:hub",
  windows: [aWindow("night"), aWindow("wrong", { duration: "long" }), ...windows],
  upgrades: cgu ? [cgu] : [],
  configs: [],
  reports,
  managedClusters: names.map((name) => planning.aManagedCluster(name)),
  waitingEvents: [],
}));

/** Upgrades that require ready images, whose images are in any state, before and after the registries are asked. */
export const ofReadiness = fc
  .record({
    before: fc.constantFrom<readonly (ReadyStatus | undefined)[] | undefined>(
      undefined,
      ["missing"],
      ["ready"],
      [],
    ),
    after: fc.constantFrom<readonly (ReadyStatus | undefined)[]>(["ready"], ["missing"], ["unreachable"], []),
    isNewContent: fc.boolean(),
    isRequired: fc.boolean(),
  })
  .map(({ before, after, isNewContent, isRequired }): ReadySnapshot => {
    const image = "quay.io/acme/app:v1";
    const cgu = anUpgrade(names);
    const snapshotOf = (
      statuses: readonly (ReadyStatus | undefined)[],
      revision: string,
      reports: readonly KubernetesObject[],
    ): ReadySnapshot => {
      const records = statuses.flatMap((status) =>
        status ? [[image, { status, at: "2026-03-01T02:00:00Z", basis: "b" }] as const] : [],
      );
      const content = {
        revision,
        architectures: ["amd64"],
        images: [image],
        problems: [],
        readAt: undefined,
      };
      return {
        now,
        hubId: "urn:test:hub",
        reports,
        objectEvents: [],
        upgrades: [{ cgu, content, records: new Map(records) }],
        obstacle: undefined,
        isUnfinished: false,
        accessEnds: [],
        notAsked: new Set(["unreachable"]),
      };
    };
    const reports = before
      ? decideReady(snapshotOf(before, "a", []))
          .actions.map(({ object }) => object)
          .filter((object) => isKind(kinds.ReadinessReport, object))
      : [];
    const snapshot = snapshotOf(after, isNewContent ? "b" : "a", reports);
    return isRequired ? snapshot : { ...snapshot, upgrades: [] };
  });

/** An upgrade that was planned before, has any progress, and is planned again, perhaps with other content. */
export const ofPlan = fc
  .record({
    clusters: fc.subarray(["sno1", "sno2", "nobody"]),
    isPlanned: fc.boolean(),
    states: fc.dictionary(fc.constantFrom("sno1", "sno2"), fc.constantFrom("Active", "Succeeded")),
    done: fc.constantFrom(undefined, "True", "False"),
    isEnabled: fc.boolean(),
    byTalm: fc.boolean(),
    config: fc.constantFrom({}, { spaceRequired: "50Gi" }, { additionalImages: ["busybox"] }),
    workloadImage: fc.constantFrom("registry.lab/workload:1", "registry.lab/workload:2"),
  })
  .map(({ clusters, isPlanned, states, done, isEnabled, byTalm, config, workloadImage }) => {
    const annotations: Readonly<Record<string, string>> = {
      "hubrelay.dev/precaching": "true",
      ...(isEnabled ? { "hubrelay.dev/enable-after-precaching": "now" } : {}),
    };
    const spec = { preCaching: !byTalm, preCachingConfigRef: { name: "config" } };
    const snapshotOf = (cgu: KubernetesObject, content: Readonly<Record<string, unknown>>): PlanSnapshot => {
      const [input] = planInputsOf([...base, planning.aPreCachingConfig(content), cgu], "4.20.3");
      return {
        now,
        hubId: "urn:test:hub",
        key: "ztp/upgrade",
        cgu,
        objectEvents: [],
        reports: plannedUpgrade(cgu) ? reportsOf(cgu) : [],
        leases: byTalm ? [talmLease()] : [],
        input: input && { ...input, lookup: () => notQueried },
        planning: { ...noExternalPorts.planning, workloadImage },
        rollout: { windows: [], configs: [], managedClusters: [] },
        upgrades: [],
      };
    };
    const first = planning.anUpgrade(spec, { annotations });
    const ofUpgrade = ({ object }: Action) => isKind(kinds.ClusterGroupUpgrade, object);
    const planned = isPlanned && decidePlan(snapshotOf(first, {})).actions.findLast(ofUpgrade)?.object;
    const { conditions = [], precaching = {} } = Object(planned ? planned.status : {});
    const progress = done ? [{ type: "PrecachingSuceeded", status: done, reason: "R", message: "m" }] : [];
    const status = {
      conditions: [...conditions, ...progress],
      precaching: { ...precaching, status: states },
    };
    const present = planned || first;
    const cgu = { ...present, spec: { ...Object(present.spec), clusters }, status };
    return snapshotOf(cgu, config);
  });
