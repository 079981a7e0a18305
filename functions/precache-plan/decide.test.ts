import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Action, Plan } from "#shared/domain/plan/plan.ts";
import { planInputsOf } from "#shared/domain/precache-plan/plan-input.ts";
import { notQueried } from "#shared/domain/precache-plan/policies/update-graph.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { annotated, base, now, talmLease } from "../../test/support/precache/precache-plan-hub.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  digestOf,
  releaseImage,
} from "../../test/support/precache/precache-plan-objects.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

describe("the plan of one snapshot", () => {
  const fleet = [...base, aPreCachingConfig({})];
  const aSnapshot = (cgu: KubernetesObject | undefined, changes: Partial<Snapshot> = {}): Snapshot => {
    const [input] = planInputsOf([...fleet, ...(cgu ? [cgu] : [])], "4.20.3");
    return {
      now,
      hubId: "urn:test:hub",
      key: "ztp/upgrade",
      cgu,
      objectEvents: [],
      reports: [],
      leases: [],
      input: input && { ...input, lookup: () => notQueried },
      planning: { ...noExternalPorts.planning, workloadImage: `quay.io/acme/w@${digestOf("3")}` },
      rollout: { windows: [], configs: [], managedClusters: [] },
      ...changes,
    };
  };
  /** What a plan decides, writes, reports and sends, a line each. */
  const reportOf = (plan: Plan): readonly string[] => [
    ...plan.decisions.map(
      ({ subject, verdict, reason, owner }) =>
        `${subject} ${verdict}${owner ? ` (${owner})` : ""}: ${reason}`,
    ),
    ...plan.actions.map(({ verb, object, reason }) =>
      object.kind === "Event"
        ? `${verb} Event ${object.reason}`
        : `${verb} ${object.kind} ${object.metadata.name}: ${reason}`,
    ),
    ...outcomesOf(plan).map(({ type, subject }) => `outcome ${type.replace("dev.hubrelay.", "")} ${subject}`),
    ...(plan.sends ?? []).map(({ queue, events, reason }) => `send ${events.length} to ${queue}: ${reason}`),
    ...(plan.requeueAt ? [`requeue ${plan.requeueAt.toISOString()}`] : []),
  ];
  function afterwards(snapshot: Snapshot, { actions }: Plan): Snapshot {
    const upgrade =
      actions.findLast(({ object }) => object.kind === "ClusterGroupUpgrade")?.object ?? snapshot.cgu;
    const events = new Map(snapshot.objectEvents.map((event) => [event.metadata.name, event]));
    for (const { verb, object } of actions.filter((action) => action.object.kind === "Event"))
      if (verb === "delete") events.delete(object.metadata.name);
      else events.set(object.metadata.name, object);
    const input = snapshot.input && upgrade ? { ...snapshot.input, cgu: upgrade } : snapshot.input;
    return { ...snapshot, cgu: upgrade, input, objectEvents: [...events.values()] };
  }
  const written = (verdict: string, what: string, ...events: readonly string[]) => [
    `ClusterGroupUpgrade/ztp/upgrade ${verdict}: ${what}`,
    "update ClusterGroupUpgrade upgrade: records what its status refers to",
    `update-status ClusterGroupUpgrade upgrade: ${what}`,
    ...events,
    "outcome precache-plan.planned ztp/upgrade",
  ];
  const planned = (...events: readonly string[]) =>
    written("planned", "2 precache; InProgress: Precaching is required and not done", ...events);
  const over = { ...anUpgrade(), status: { conditions: [{ type: "Succeeded", status: "True" }] } };
  const cases: readonly Readonly<{ name: string; snapshot: Snapshot; report: readonly string[] }>[] = [
    {
      name: "When nothing is planned yet, it should plan every cluster",
      snapshot: aSnapshot(anUpgrade()),
      report: planned(),
    },
    {
      name: "When no cluster is selected, it should say why",
      snapshot: aSnapshot(anUpgrade({ clusters: [] })),
      report: written(
        "changed",
        "no clusters; ValidationCompleted: Completed validation",
        "create Event NoClusterSelected",
      ),
    },
    {
      name: "When a policy does not exist, it should say which",
      snapshot: aSnapshot(anUpgrade({ managedPolicies: ["missing"] })),
      report: written(
        "changed",
        "2 wait; NotAllManagedPoliciesExist: Missing managed policies: [missing]",
        "create Event NotAllManagedPoliciesExist",
      ),
    },
    {
      name: "When TALM pre-caches it, it should leave it to TALM",
      snapshot: aSnapshot(anUpgrade(), { leases: [talmLease()] }),
      report: [
        "ClusterGroupUpgrade/ztp/upgrade left to others (talm): TALM renews its Lease/openshift-operators/9a2365a3.openshift.io.",
      ],
    },
    {
      name: "When TALM pre-caches it and hubrelay is asked as well, it should refuse",
      snapshot: aSnapshot(anUpgrade({}, { annotations: annotated }), { leases: [talmLease()] }),
      report: [
        "ClusterGroupUpgrade/ztp/upgrade left to others (talm): TALM renews its Lease/openshift-operators/9a2365a3.openshift.io.",
        "create Event PreCachingByBoth",
      ],
    },
    {
      name: "When TALM runs and does not pre-cache it, it should write only what is about pre-caching",
      snapshot: aSnapshot(anUpgrade({ preCaching: false }, { annotations: annotated }), {
        leases: [talmLease()],
      }),
      report: planned(),
    },
    {
      name: "When it is over, it should do nothing",
      snapshot: aSnapshot(over, { input: undefined }),
      report: [],
    },
    {
      name: "When it is gone, it should do nothing",
      snapshot: aSnapshot(undefined, { input: undefined }),
      report: [],
    },
    {
      name: "When a limit is invalid, it should report that and plan nevertheless",
      snapshot: aSnapshot(anUpgrade({}, { annotations: { "hubrelay.dev/parallel-pulls": "lots" } })),
      report: planned("create Event InvalidLimit"),
    },
  ];

  test.for(cases)("$name", ({ snapshot, report }) => {
    expect(reportOf(decide(snapshot))).toEqual(report);
  });

  test.for(cases)("$name; and deciding again afterwards should change nothing", ({ snapshot }) => {
    const plan = decide(snapshot);
    const hub = afterwards(snapshot, plan);
    expect(decide(hub)).toMatchObject({ actions: [] });
    expect(decide(hub).sends ?? []).toEqual([]);
    const ids = (some: readonly { id: string }[] = []) => some.map(({ id }) => id);
    expect(ids(decide(hub).standing?.(now))).toEqual(ids(outcomesOf(plan)));
  });

  test("When an issue is fixed, it should delete its Event", () => {
    const invalid = aSnapshot(anUpgrade({}, { annotations: { "hubrelay.dev/parallel-pulls": "lots" } }));
    const reported = afterwards(invalid, decide(invalid));
    const cgu = reported.cgu && {
      ...reported.cgu,
      metadata: { ...reported.cgu.metadata, annotations: { ...reported.cgu.metadata.annotations } },
    };
    if (cgu) delete (cgu.metadata.annotations as Record<string, string>)["hubrelay.dev/parallel-pulls"];
    const fixed = { ...reported, cgu, input: reported.input && cgu ? { ...reported.input, cgu } : undefined };
    expect(reportOf(decide(fixed)).filter((line) => line.includes("Event"))).toEqual([
      "delete Event InvalidLimit",
    ]);
    const gone = { ...reported, cgu: undefined, input: undefined };
    expect(reportOf(decide(gone))).toEqual(["delete Event InvalidLimit"]);
  });

  test("When several upgrades report an issue on one object, each should have an Event of its own", () => {
    const invalid = anUpgrade({}, { annotations: { "hubrelay.dev/parallel-pulls": "lots" } });
    const written = ["ztp/upgrade", "ztp/other"].flatMap((key) =>
      decide(aSnapshot(invalid, { key })).actions.filter(({ object }) => object.kind === "Event"),
    );
    for (const idOf of [
      ({ object: { metadata } }: Action) => metadata.name,
      ({ object: { metadata } }: Action) => metadata.labels?.["hubrelay.dev/key"],
    ])
      expect(new Set(written.map(idOf)).size).toBe(2);
  });

  test("When a plan is written, its outcome should have what was planned", () => {
    const [outcome] = outcomesOf(decide(aSnapshot(anUpgrade())));
    expect(outcome).toMatchObject({ source: "urn:test:hub", subject: "ztp/upgrade" });
    expect(outcome?.data).toMatchObject({
      namespace: "ztp",
      name: "upgrade",
      spec: { platformImage: releaseImage },
      clusterCount: 2,
      clusters: [
        { name: "sno1", action: "precache" },
        { name: "sno2", action: "precache" },
      ],
      issueCount: 0,
    });
  });

  test("When a plan is written in part, only outcomes of statuses that were written should be published again", () => {
    const standing = (snapshot: Snapshot) => decide(snapshot).standing?.(now) ?? [];
    const inPart = (plan: Plan): Plan => ({
      ...plan,
      actions: plan.actions.filter(({ verb }) => verb === "update"),
    });
    const first = aSnapshot(anUpgrade());
    const plan = decide(first);
    expect(standing(first)).toEqual([]);
    expect(standing(afterwards(first, inPart(plan)))).toEqual([]);
    const written = afterwards(first, plan);
    expect(standing(written)).toEqual(outcomesOf(plan));

    const selecting = (snapshot: Snapshot, clusters: readonly string[]): Snapshot => {
      const { cgu, input } = snapshot;
      if (!cgu || !input) throw new Error("the snapshot of this test has both");
      const changed = { ...cgu, spec: { ...Object(cgu.spec), clusters } };
      return { ...snapshot, cgu: changed, input: { ...input, cgu: changed } };
    };
    const fewer = selecting(written, ["sno1"]);
    const second = decide(fewer);
    expect(standing(afterwards(fewer, inPart(second)))).toEqual(outcomesOf(plan));
    const both = [...outcomesOf(plan), ...outcomesOf(second)];
    expect(standing(afterwards(fewer, second))).toEqual(both);
    // The same plan at another time is another outcome.
    const [again] = outcomesOf(decide(selecting(afterwards(fewer, second), ["sno1", "sno2"])));
    expect(both.map(({ id }) => id)).not.toContain(again?.id);
  });

  test("When policies and clusters are read in another order, the plan should be the same", () => {
    const snapshot = aSnapshot(anUpgrade());
    const { input } = snapshot;
    if (!input) throw new Error("nothing is planned");
    const shuffled = <Item>(items: readonly Item[]) =>
      fc.shuffledSubarray([...items], { minLength: items.length });
    const managedClusters = [...input.managedClusters, aManagedCluster("sno3"), aManagedCluster("sno4")];
    const policies = [...input.policies, aPolicy("other", []), aPolicy("third", [])];
    fc.assert(
      fc.property(shuffled(managedClusters), shuffled(policies), (clusters, some) => {
        const plan = decide({ ...snapshot, input: { ...input, managedClusters: clusters, policies: some } });
        const inOrder = decide({ ...snapshot, input: { ...input, managedClusters, policies } });
        expect([plan.actions, plan.sends]).toEqual([inOrder.actions, inOrder.sends]);
      }),
      { numRuns: 20 },
    );
  });
});
