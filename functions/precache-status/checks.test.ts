import { describe, expect, test } from "vitest";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { ClusterCheck } from "#shared/domain/precache-model/check-record.ts";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { storedConditions, withUpgradeCondition } from "#shared/domain/precache-model/conditions.ts";
import { withStates } from "#shared/domain/precache-model/planned-upgrade.ts";
import type { CheckRun } from "#shared/domain/precache-model/work-identity.ts";
import { precachingSucceeded, tallyOf } from "#shared/domain/precache-progress/roll-up.ts";
import { checked, ended, withReport } from "../../cli/simulation/reported-status.ts";
import { aWork } from "../../test/support/precache/precache-objects.ts";
import {
  aStoredUpgrade,
  overUpgrade,
  reportsFor,
  runOfUpgrade,
} from "../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

/** Ten hours before `aWindow` opens. */
const now = new Date("2026-03-04T15:00:00Z");
const opening = "2026-03-05T01:00:00Z";
const before = { "hubrelay.dev/check-before": "24h" };
const since = "2026-03-01T02:00:00Z";

/** An upgrade whose status has been written for these states. */
function upgradeWith(
  annotations: Readonly<Record<string, string>>,
  states: Readonly<Record<string, string>> = { sno1: "Succeeded", sno2: "Succeeded" },
): KubernetesObject {
  const cgu = aStoredUpgrade(["sno1", "sno2"], { annotations, states });
  const condition = precachingSucceeded(tallyOf(["sno1", "sno2"], states));
  return withStates(cgu, states, withUpgradeCondition(storedConditions(cgu.status), condition, now));
}

const cached: Partial<ClusterRecord> = { state: "Succeeded", reason: "Completed", since, imagesTotal: 190 };
const started = "2026-03-04T14:59:00Z";
const checking: ClusterCheck = { started, attempt: 1, opening };
const resultWith = (imagesPresent: number): ClusterCheck => ({
  ...checking,
  checked: "2026-03-04T14:59:30Z",
  imagesPresent,
  imagesTotal: 190,
});

/** The hub with an upgrade that is pre-cached, and these records of its two clusters. */
function aSnapshot(
  cgu: KubernetesObject,
  records: Readonly<Record<string, Partial<ClusterRecord>>> = {},
  changes: Partial<Snapshot> = {},
): Snapshot {
  return {
    now,
    hubId: "urn:test:hub",
    name: { namespace: "default", name: "upgrade" },
    cgu,
    reports: reportsFor(cgu, { sno1: { ...cached, ...records.sno1 }, sno2: { ...cached, ...records.sno2 } }),
    works: [],
    read: new Map(),
    unread: [],
    surroundings: {
      windows: [aWindow("night", { clusterSelector: { matchLabels: { site: "oslo" } } })],
      configs: [],
      managedClusters: ["sno1", "sno2"].map((name) => ({
        apiVersion: kinds.ManagedCluster.apiVersion,
        kind: kinds.ManagedCluster.kind,
        metadata: { name, labels: { site: name === "sno1" ? "oslo" : "bergen" } },
      })),
      others: [],
    },
    ...changes,
  };
}

const checkRun = (cgu: KubernetesObject): CheckRun => {
  const { cgu: name, revision } = runOfUpgrade(cgu);
  return { cgu: name, revision, check: Date.parse(started) / 1000 };
};
const checkWork = (cgu: KubernetesObject, missing?: number, cluster = "sno1"): KubernetesObject => {
  const work = aWork(cluster, checkRun(cgu));
  return missing === undefined ? work : withReport(work, checkRun(cgu), checked(missing));
};

const decisions = ({ decisions }: Plan) =>
  decisions.slice(1).map(({ subject, verdict, reason }) => `${subject} ${verdict}: ${reason}`);
const recordsIn = ({ actions }: Plan): Readonly<Record<string, ClusterRecord>> =>
  Object.assign({}, ...actions.map(({ object }) => object.clusters ?? {}));
const named = ({ sends = [] }: Plan) =>
  sends.flatMap(({ events }) => events.flatMap(({ data }) => data.cluster ?? []));
const outcomesIn = ({ guard, actions }: Plan) =>
  [...(guard ? [guard] : []), ...actions].flatMap(({ outcomes = [] }) => outcomes);
const statesIn = ({ guard }: Plan) => Object(guard?.object.status).precaching?.status;

/** What this function reads of the hub after a plan was applied. */
function afterwards(snapshot: Snapshot, { guard, actions }: Plan): Snapshot {
  let { cgu, reports } = snapshot;
  const removed = new Set<string>();
  for (const { verb, object } of [...(guard ? [guard] : []), ...actions]) {
    if (isKind(kinds.ClusterGroupUpgrade, object)) cgu = object;
    if (isKind(kinds.PreCachingReport, object)) reports = [object];
    if (verb === "delete") removed.add(object.metadata.name);
  }
  const works = snapshot.works?.filter(({ metadata }) => !removed.has(metadata.name));
  return { ...snapshot, cgu, reports, works };
}

type Case = Readonly<{
  name: string;
  snapshot: Snapshot;
  decisions: readonly string[];
  /** The clusters that messages name. */
  named?: readonly string[];
  check?: Partial<ClusterCheck>;
  states?: object;
  outcomes?: number;
}>;

const plain = upgradeWith({});
const withCheck = upgradeWith(before);
const cases: readonly Case[] = [
  {
    name: "When an opening comes soon, it should check the clusters whose window it is",
    snapshot: aSnapshot(withCheck),
    decisions: [`sno1 check: It is checked before ${opening}.`],
    named: ["sno1"],
    check: { started: "2026-03-04T15:00:00Z", opening },
  },
  {
    name: "When a check is requested, it should check every cluster that has succeeded",
    snapshot: aSnapshot(upgradeWith({ "hubrelay.dev/check": "all" })),
    decisions: ["sno1 check: A check was requested.", "sno2 check: A check was requested."],
    named: ["sno1", "sno2"],
    check: { started: "2026-03-04T15:00:00Z" },
  },
  {
    name: "When a check is requested while one is in progress, it should not start again",
    snapshot: aSnapshot(
      upgradeWith({ "hubrelay.dev/check": "sno1" }),
      { sno1: { check: checking } },
      { works: [checkWork(plain)] },
    ),
    decisions: [],
  },
  {
    name: "When the work of a check could not be created, its message should be sent again",
    snapshot: aSnapshot(withCheck, { sno1: { check: checking } }),
    decisions: [],
    named: ["sno1"],
  },
  {
    name: "When a check has found everything, it should record that, and have its work removed",
    snapshot: aSnapshot(withCheck, { sno1: { check: checking } }, { works: [checkWork(withCheck, 0)] }),
    decisions: ["sno1 checked: 190 of 190 images are there."],
    named: ["sno1"],
    check: { ...checking, checked: "2026-03-04T15:00:00Z", imagesPresent: 190, imagesTotal: 190 },
  },
  {
    name: "When a requested check has found images missing, it should only record and report that",
    snapshot: aSnapshot(plain, { sno1: { check: checking } }, { works: [checkWork(plain, 2)] }),
    decisions: [
      "sno1 checked: 188 of 190 images are there: quay.io/app/part0@sha256:0c7e, quay.io/app/part1@sha256:0c7e.",
    ],
    named: ["sno1"],
    check: { imagesPresent: 188 },
    outcomes: 1,
  },
  {
    name: "When images are missing before an opening, it should pre-cache the cluster again inside its windows",
    snapshot: aSnapshot(withCheck, { sno1: { check: checking } }, { works: [checkWork(withCheck, 1)] }),
    decisions: [
      "sno1 checked: 189 of 190 images are there: quay.io/app/part0@sha256:0c7e.",
      "sno1 pre-cache again: 1 of 190 images were missing; it is pre-cached again.",
      "sno1 wait: default/night is closed until 2026-03-05T01:00:00Z.",
    ],
    named: ["sno1"],
    check: { imagesPresent: 189 },
    states: { sno2: "Succeeded" },
    outcomes: 1,
  },
  {
    name: "When the upgrade is over, it should check nothing",
    snapshot: aSnapshot(overUpgrade(upgradeWith({ ...before, "hubrelay.dev/check": "all" }))),
    decisions: [],
  },
];

describe("checks of pre-cached images", () => {
  test.for(cases)("$name", ({ snapshot, ...expected }) => {
    const plan = decide(snapshot);
    expect(decisions(plan)).toEqual(expected.decisions);
    expect(named(plan)).toEqual(expected.named ?? []);
    if (expected.check) expect(recordsIn(plan).sno1?.check).toMatchObject(expected.check);
    expect(statesIn(plan)).toEqual(expected.states);
    const lost = outcomesIn(plan).filter(({ type }) => type.endsWith("images-missing"));
    expect(lost).toHaveLength(expected.outcomes ?? 0);
    expect(Object(recordsIn(plan).sno1).attempt ?? 1).toBe(expected.states ? 2 : 1);
  });

  test.for(cases)("$name; and deciding again afterwards should change nothing", ({ snapshot }) => {
    const after = afterwards(snapshot, decide(snapshot));
    const again = decide({
      ...after,
      reports: after.reports.map((report) => ({
        ...report,
        metadata: { ...report.metadata, resourceVersion: "10" },
      })),
    });
    expect(again.guard).toBeUndefined();
    expect(again.actions).toEqual([]);
    expect(outcomesIn(again)).toEqual([]);
  });

  test("When a message is delivered again, missing images should be reported again under the same id", () => {
    const snapshot = aSnapshot(plain, { sno1: { check: checking } }, { works: [checkWork(plain, 2)] });
    const plan = decide(snapshot);
    const ids = (outcomes: readonly OutcomeEvent[]) =>
      outcomes.filter(({ type }) => type.endsWith("images-missing")).map(({ id }) => id);
    expect(ids(decide(afterwards(snapshot, plan)).standing?.(now) ?? [])).toEqual(ids(outcomesIn(plan)));
    const { data } = outcomesIn(plan)[0] ?? {};
    expect(data).toMatchObject({
      cluster: "sno1",
      attempt: 1,
      imagesPresent: 188,
      imagesTotal: 190,
      opening,
    });
  });

  test.for([
    { what: "of earlier content", revision: "0000000000", at: now, removed: 1 },
    { what: "whose report was lost, past its deadline", at: new Date("2026-03-04T15:17:00Z"), removed: 1 },
    { what: "whose report was lost, before its deadline", at: now, removed: 0 },
  ])("When there is a work of a check $what, $removed should be removed", ({ revision, at, removed }) => {
    const run = { ...checkRun(plain), ...(revision ? { revision } : {}) };
    const { actions } = decide(aSnapshot(plain, {}, { works: [aWork("sno1", run)], now: at }));
    expect(actions.filter(({ verb }) => verb === "delete")).toHaveLength(removed);
  });

  test("When a work of the checked run is left, it should be removed without a message for each list", () => {
    const run = runOfUpgrade(plain);
    const works = [withReport(aWork("sno1", run), run, ended("succeeds"))];
    const plan = decide(aSnapshot(plain, { sno1: { check: resultWith(190) } }, { works }));
    expect(plan.actions.map(({ verb, reason }) => `${verb}: ${reason}`)).toEqual(["delete: its run is over"]);
    expect(named(plan)).toEqual([]);
  });
});
