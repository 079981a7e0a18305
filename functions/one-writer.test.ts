import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSameJson } from "#shared/domain/json/same-json.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Action, Plan } from "#shared/domain/plan/plan.ts";
import { planInputsOf } from "#shared/domain/precache/plan/plan-input.ts";
import { notQueried } from "#shared/domain/precache/plan/policies/update-graph.ts";
import type { ClusterRecord } from "#shared/domain/precache/progress/cluster-record.ts";
import { plannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import { withSuspend } from "#shared/domain/precache/work/manifest-work.ts";
import { runOf } from "#shared/domain/precache/work/work-identity.ts";
import type { ReadyStatus } from "#shared/domain/ready/judge.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { reported } from "../test/support/precache/precache-objects.ts";
import { base, talmLease } from "../test/support/precache/precache-plan-hub.ts";
import * as planning from "../test/support/precache/precache-plan-objects.ts";
import { reportsOf } from "../test/support/precache/precache-reports.ts";
import {
  anUpgrade,
  overUpgrade,
  reportsFor,
  runOfUpgrade,
  workFor,
} from "../test/support/precache/precache-snapshots.ts";
import { start as now } from "../test/support/precache/precache-system.ts";
import { aWindow } from "../test/support/precache/precache-windows.ts";
import { decide as decideWindows } from "./maintenance-window/decide.ts";
import { decide as decideCluster } from "./precache-cluster/decide.ts";
import { decide as decidePlan } from "./precache-plan/decide.ts";
import type { Snapshot as PlanSnapshot } from "./precache-plan/observe.ts";
import { decide as decideReady } from "./precache-ready/decide.ts";
import type { Snapshot as ReadySnapshot } from "./precache-ready/observe.ts";
import { decide as decideStatus } from "./precache-status/decide.ts";

/** What each function writes: fields of existing objects, and objects. No field is in two lists. */
const writers = {
  "precache-plan": [
    "ClusterGroupUpgrade metadata.annotations.hubrelay.dev/outcomes",
    "ClusterGroupUpgrade metadata.annotations.hubrelay.dev/workload-image",
    "ClusterGroupUpgrade spec.enable",
    "ClusterGroupUpgrade status.conditions ClustersSelected",
    "ClusterGroupUpgrade status.conditions PrecacheSpecValid",
    "ClusterGroupUpgrade status.conditions Validated",
    "ClusterGroupUpgrade status.precaching.clusters",
    "ClusterGroupUpgrade status.precaching.spec",
    "create Event of precache-plan",
  ],
  "precache-status": [
    "ClusterGroupUpgrade metadata.annotations.hubrelay.dev/retry",
    "ClusterGroupUpgrade status.conditions PrecacheImagesReady",
    "ClusterGroupUpgrade status.conditions PrecachingSuceeded",
    "ClusterGroupUpgrade status.precaching.status",
    "PreCachingReport clusters",
    "PreCachingReport lookAt",
    "PreCachingReport revision",
    "PreCachingReport written",
    "create PreCachingReport",
    "delete ManifestWork of no plan",
    "delete PreCachingReport",
  ],
  "precache-ready": [
    "ReadinessReport images",
    "ReadinessReport known",
    "ReadinessReport message",
    "ReadinessReport metadata",
    "ReadinessReport ready",
    "ReadinessReport reason",
    "ReadinessReport revision",
    "create Event of precache-ready",
    "create ReadinessReport",
    "delete ReadinessReport",
  ],
  "precache-cluster": ["ManifestWork spec", "create ManifestWork", "delete ManifestWork of the plan"],
  "maintenance-window": ["MaintenanceWindow status"],
} as const;

/** Fields whose own fields have different writers. */
const shared: ReadonlySet<string> = new Set([
  "",
  "metadata",
  "metadata.annotations",
  "spec",
  "status",
  "status.precaching",
]);

function fieldsOf(object: KubernetesObject, isWhole: boolean): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  const visit = (path: string, value: unknown): void => {
    if (path === "status.conditions" && Array.isArray(value))
      for (const condition of value) fields.set(`${path} ${condition.type}`, condition);
    else if (isRecord(value) && (isWhole ? path === "" : shared.has(path)))
      for (const [name, own] of Object.entries(value)) visit(path ? `${path}.${name}` : name, own);
    else fields.set(path, value);
  };
  visit("", object);
  return fields;
}

/** Returns what an action writes: the fields that differ from the object that was read, or the object. */
function writesOf({ verb, object }: Action, read: readonly KubernetesObject[]): readonly string[] {
  const { kind } = object;
  // Each function writes Events of its own.
  const of = isKind(kinds.Event, object) ? ` of ${object.metadata.labels?.["hubrelay.dev/function"]}` : "";
  if (verb === "create") return [`create ${kind}${of}`];
  const isThis = ({ kind: other, metadata: { name, namespace } }: KubernetesObject) =>
    other === kind && name === object.metadata.name && namespace === object.metadata.namespace;
  if (verb === "delete") {
    if (!isKind(kinds.ManifestWork, object)) return [`delete ${kind}`];
    const cgu = read.find(
      (one) => isKind(kinds.ClusterGroupUpgrade, one) && !("deletionTimestamp" in one.metadata),
    );
    const upgrade = cgu && plannedUpgrade(cgu);
    const isPlanned =
      upgrade && [1, 2].some((attempt) => workFor(cgu, "", attempt).metadata.name === object.metadata.name);
    return [`delete ManifestWork of ${isPlanned ? "the" : "no"} plan`];
  }
  const before = read.find(isThis);
  if (!before) throw new Error(`${kind} ${object.metadata.name} was not read`);
  const isWhole = !isKind(kinds.ClusterGroupUpgrade, object);
  const [old, next] = [fieldsOf(before, isWhole), fieldsOf(object, isWhole)];
  return [...new Set([...old.keys(), ...next.keys()])]
    .filter((path) => !isSameJson(old.get(path), next.get(path)))
    .filter((path) => path.startsWith("status") === (verb === "update-status"))
    .map((path) => `${kind} ${path}`);
}

interface Writer {
  /** A moment of the hub, of which the function's plan writes this. */
  readonly writes: fc.Arbitrary<readonly string[]>;
  /** How many moments show everything that the function writes. */
  readonly cases: number;
}

function writerOf<Snapshot>(
  snapshots: fc.Arbitrary<Snapshot>,
  decide: (snapshot: Snapshot) => Plan,
  readIn: (snapshot: Snapshot) => readonly (KubernetesObject | undefined)[],
  cases = 300,
): Writer {
  const writes = snapshots.map((snapshot) => {
    const { guard, actions } = decide(snapshot);
    const read = readIn(snapshot).filter((object) => object !== undefined);
    return [...(guard ? [guard] : []), ...actions].flatMap((action) => writesOf(action, read));
  });
  return { writes, cases };
}

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

const ofStatus = upgradesUnderWay.chain((hub) =>
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

const ofCluster = upgradesUnderWay.map(({ cgu, reports, works }) => ({
  cgu,
  clusters: names,
  reports,
  config: undefined,
  others: [],
  managedClusters: [],
  planning: noExternalPorts.planning,
  works,
}));

const ofWindows = upgradesUnderWay.map(({ cgu, reports, windows }) => ({
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
const ofReadiness = fc
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
const ofPlan = fc
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
        profile: "standard",
        indexRepositories: [],
        workloadImage,
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

const functions = [
  ["precache-plan", writerOf(ofPlan, decidePlan, ({ cgu }) => [cgu])],
  ["precache-status", writerOf(ofStatus, decideStatus, ({ cgu, reports, all }) => [cgu, ...reports, ...all])],
  ["precache-ready", writerOf(ofReadiness, decideReady, ({ reports }) => reports)],
  ["precache-cluster", writerOf(ofCluster, decideCluster, ({ cgu, works }) => [cgu, ...works])],
  ["maintenance-window", writerOf(ofWindows, decideWindows, ({ windows }) => windows, 20)],
] as const;

describe("the writes of all plans", () => {
  test.for(functions)(
    "When %s decides about any state of a hub, it should write only its own fields",
    ([name, { writes }]) => {
      const own: readonly string[] = writers[name];
      fc.assert(
        fc.property(writes, (written) => {
          expect(written.filter((write) => !own.includes(write))).toEqual([]);
        }),
        { numRuns: 100 },
      );
    },
  );

  // Some writes are rare, so other moments than these might not show all of them.
  test.for(functions)(
    "When %s has decided often, it should have written each",
    ([name, { writes, cases }]) => {
      const written = fc.sample(writes, { seed: 20_261_101, numRuns: cases }).flat();
      expect([...new Set(written)].sort()).toEqual(writers[name]);
    },
  );

  test("When a field is written, it should have one writer", () => {
    const all = Object.values(writers).flat();
    expect(all.filter((field, index) => all.indexOf(field) !== index)).toEqual([]);
  });
});

test("When precache-status removes ManifestWorks of a planned upgrade, they should be of other content", () => {
  fc.assert(
    fc.property(ofStatus, (snapshot) => {
      const upgrade = snapshot.cgu && plannedUpgrade(snapshot.cgu);
      if (!upgrade || "deletionTimestamp" in (snapshot.cgu?.metadata ?? {})) return;
      for (const { verb, object } of decideStatus(snapshot).actions)
        if (verb === "delete") expect(runOf(object)?.revision).not.toBe(upgrade.revision);
    }),
    { numRuns: 100 },
  );
});

test("When the status is written, it should be by one write of a plan, with the version that was read", () => {
  fc.assert(
    fc.property(ofStatus, (snapshot) => {
      const { guard, actions } = decideStatus(snapshot);
      expect(actions.filter(({ verb }) => verb === "update-status")).toEqual([]);
      if (guard) expect(guard.object.metadata.resourceVersion).toBe(snapshot.cgu?.metadata.resourceVersion);
    }),
    { numRuns: 100 },
  );
});
