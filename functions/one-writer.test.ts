import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRecord, isSameJson } from "#shared/domain/kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Action, Plan } from "#shared/domain/plan/plan.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { runOf } from "#shared/domain/precache-model/work-identity.ts";
import { workFor } from "../test/support/precache/precache-snapshots.ts";
import {
  ofCluster,
  ofPlan,
  ofReadiness,
  ofStatus,
  ofWindows,
} from "../test/support/precache/random-snapshots.ts";
import { decide as decideWindows } from "./maintenance-window/decide.ts";
import { decide as decideCluster } from "./precache-cluster/decide.ts";
import { decide as decidePlan } from "./precache-plan/decide.ts";
import { decide as decideReady } from "./precache-ready/decide.ts";
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
        { numRuns: 60 },
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
    { numRuns: 60 },
  );
});

test("When the status is written, it should be by one write of a plan, with the version that was read", () => {
  fc.assert(
    fc.property(ofStatus, (snapshot) => {
      const { guard, actions } = decideStatus(snapshot);
      expect(actions.filter(({ verb }) => verb === "update-status")).toEqual([]);
      if (guard) expect(guard.object.metadata.resourceVersion).toBe(snapshot.cgu?.metadata.resourceVersion);
    }),
    { numRuns: 60 },
  );
});
