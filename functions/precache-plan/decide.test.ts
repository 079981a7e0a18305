import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { planInputsOf } from "#shared/domain/precache/plan/plan-input.ts";
import { notQueried } from "#shared/domain/precache/plan/policies/update-graph.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import {
  annotated,
  base,
  issuesOf,
  now,
  planningHub,
  talmLease,
} from "../../test/support/precache/precache-plan-hub.ts";
import {
  aClusterInfo,
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
  copiesOf,
  digestOf,
  releaseImage,
} from "../../test/support/precache/precache-plan-objects.ts";
import { precachePlan } from "./controller.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

const world = planningHub();
const { given, planOnce, cgu, apply, settle, conditionsOf, following } = world;

describe("planning on a hub without TALM", () => {
  test("When a ClusterGroupUpgrade requests pre-caching, it should write its plan and send nothing", async () => {
    await given(...base, anUpgrade());
    const plan = await settle();
    expect(plan.sends ?? []).toEqual([]);
    expect(await conditionsOf()).toEqual([
      "ClustersSelected True ClusterSelectionCompleted",
      "Validated True ValidationCompleted",
      "PrecacheSpecValid True PrecacheSpecIsWellFormed",
    ]);
    expect(Object((await cgu()).status).precaching).toEqual({
      spec: { platformImage: releaseImage, spaceRequired: "35" },
      clusters: ["sno1", "sno2"],
    });
    expect(outcomesOf(plan).map(({ type }) => type)).toEqual(["dev.hubrelay.precache-plan.planned"]);
  });

  test.for([
    { what: "names", clusters: { clusters: ["sno1", "sno2"] } },
    { what: "labels", clusters: { clusters: undefined, clusterLabelSelectors: [{}] } },
  ])(
    "When clusters are selected by $what, those with several nodes should be left out",
    async ({ clusters }) => {
      await given(...base, aClusterInfo("sno1", 1), aClusterInfo("sno2", 3), anUpgrade(clusters));
      await settle();
      expect(Object((await cgu()).status).precaching.clusters).toEqual(["sno1"]);
    },
  );

  test("When the hub resolves the templates of a policy in its copies, the release should be theirs", async () => {
    const withImage = (image: string) => aPolicy("platform", [aWantedRelease({ desiredUpdate: { image } })]);
    const copies = copiesOf(withImage(releaseImage), ["sno1", "sno2"]);
    const others = base.filter(({ kind }) => kind !== "Policy");
    await given(
      ...others,
      withImage('{{hub index .ManagedClusterLabels "image" hub}}'),
      ...copies,
      anUpgrade(),
    );
    await settle();
    expect((await cgu()).status).toMatchObject({ precaching: { spec: { platformImage: releaseImage } } });
  });

  test("When it does not request pre-caching, nothing should be written", async () => {
    await given(...base, anUpgrade({ preCaching: false }));
    expect(await planOnce()).toMatchObject({ actions: [], decisions: [] });
  });

  test("When a policy is missing, it should report it in a condition and an Event, and plan once it exists", async () => {
    await given(aManagedCluster("sno1"), aManagedCluster("sno2"), anUpgrade());
    const plan = await settle();
    expect(issuesOf(plan)).toEqual(["NotAllManagedPoliciesExist"]);
    expect(plan.decisions.map(({ verdict }) => verdict)).toEqual(["changed"]);
    expect(await conditionsOf()).toEqual([
      "ClustersSelected True ClusterSelectionCompleted",
      "Validated False NotAllManagedPoliciesExist",
    ]);
    expect((await world.hub.list(kinds.Event)).map(({ reason }) => reason)).toEqual([
      "NotAllManagedPoliciesExist",
    ]);
    await given(aPolicy("platform", [aWantedRelease()]));
    await settle();
    expect((await conditionsOf()).at(-1)).toBe("PrecacheSpecValid True PrecacheSpecIsWellFormed");
    expect((await world.hub.list(kinds.Event)).map(({ reason }) => reason)).toEqual(["HubVersionUnknown"]);
  });

  test("When an additional image has a tag, the rest should be planned, and its owner see the fix in an Event", async () => {
    const image = `quay.io/acme/app@${digestOf("1")}`;
    const config = aPreCachingConfig({ additionalImages: ["quay.io/acme/app:v1", image] });
    await given(...base, config, anUpgrade({ preCachingConfigRef: { name: config.metadata.name } }));
    const plan = await settle();
    expect(issuesOf(plan)).toContain("AdditionalImageInvalid");
    expect(Object((await cgu()).status).precaching).toMatchObject({
      spec: { platformImage: releaseImage, additionalImages: [image] },
      clusters: ["sno1", "sno2"],
    });
    expect(plan.actions.map(({ object }) => object)).toContainEqual(
      expect.objectContaining({
        kind: "Event",
        reason: "AdditionalImageInvalid",
        message: expect.stringContaining("registry/repository@sha256:digest"),
      }),
    );
  });

  test("When the deprecated ConfigMap is used, its owner should see it in an Event", async () => {
    await given(...base, anUpgrade());
    await world.hub.create({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "cluster-group-upgrade-overrides", namespace: "ztp" },
      data: { excludePrecachePatterns: "aws" },
    });
    await settle();
    const events = await world.hub.list(kinds.Event);
    const deprecated = events.find(({ reason }) => reason === "DeprecatedConfigMap");
    expect(deprecated).toMatchObject({ involvedObject: { kind: "ConfigMap" }, type: "Warning" });
  });

  test("When the deployment has chosen the hardened profile, no override should replace what policies give", async () => {
    const overrides = { platformImage: "quay.io/acme/release:other" };
    await given(
      ...base,
      aPreCachingConfig({ overrides }),
      anUpgrade({ preCachingConfigRef: { name: "config" } }),
    );
    const planning = { ...noExternalPorts.planning, profile: "hardened", hubVersion: "4.30" } as const;
    await apply(
      await precachePlan.plan({
        hub: world.hub,
        key: "ztp/upgrade",
        now,
        external: { ...noExternalPorts, planning },
      }),
    );
    expect(Object((await cgu()).status).precaching.spec.platformImage).toBe(releaseImage);
    const reported = (await world.hub.list(kinds.Event)).map(
      (event) => `${event.reason} ${String(event.message)}`,
    );
    expect(reported).toContainEqual(expect.stringContaining("OverrideIgnored"));
    expect(reported).toContainEqual(expect.stringContaining("4.30"));
    await apply(await planOnce());
    expect(Object((await cgu()).status).precaching.spec).toMatchObject(overrides);
  });

  test("When the content changes, it should write that, and leave the progress to precache-status", async () => {
    await given(...base, anUpgrade({ preCachingConfigRef: { name: "config" } }), aPreCachingConfig({}));
    await settle();
    await following({ sno1: "Succeeded", sno2: "Succeeded" });
    expect((await settle()).actions).toEqual([]);
    const config = await world.hub.get(kinds.PreCachingConfig, "config", "ztp");
    if (config) await world.hub.update({ ...config, spec: { spaceRequired: "50Gi" } });
    const plan = await settle();
    expect(plan.decisions.map(({ verdict }) => verdict)).toEqual(["planned"]);
    expect(outcomesOf(plan).map(({ type }) => type)).toEqual(["dev.hubrelay.precache-plan.planned"]);
    expect((await conditionsOf()).at(-1)).toBe("PrecachingSuceeded True PrecachingCompleted");
    expect(Object((await cgu()).status).precaching).toEqual({
      spec: { platformImage: releaseImage, spaceRequired: "50" },
      clusters: ["sno1", "sno2"],
      status: { sno1: "Succeeded", sno2: "Succeeded" },
    });
  });

  test("When a cluster is added, it should be planned beside the others, whose progress stays", async () => {
    await given(...base, anUpgrade());
    await settle();
    await following({ sno1: "Succeeded", sno2: "Active" }, "False", "InProgress");
    await given(aManagedCluster("sno3"));
    const policy = await world.hub.get(kinds.Policy, "platform", "policies");
    const listed = [...Object(policy?.status).status, { clustername: "sno3", compliant: "NonCompliant" }];
    if (policy) await world.hub.updateStatus({ ...policy, status: { status: listed } });
    const object = await cgu();
    await world.hub.update({
      ...object,
      spec: { ...Object(object.spec), clusters: ["sno1", "sno2", "sno3"] },
    });
    expect((await settle()).decisions.map(({ verdict }) => verdict)).toEqual(["planned"]);
    expect(Object((await cgu()).status).precaching).toMatchObject({
      clusters: ["sno1", "sno2", "sno3"],
      status: { sno1: "Succeeded", sno2: "Active" },
    });
  });

  test("When a cluster that has begun complies by now, it should stay, and one that has not should go", async () => {
    await given(...base, anUpgrade());
    await settle();
    await following({ sno1: "Succeeded" }, "False", "InProgress");
    const policy = await world.hub.get(kinds.Policy, "platform", "policies");
    const listed = ["sno1", "sno2"].map((clustername) => ({ clustername, compliant: "Compliant" }));
    if (policy) await world.hub.updateStatus({ ...policy, status: { status: listed } });
    await settle();
    expect(Object((await cgu()).status).precaching.clusters).toEqual(["sno1"]);
  });

  test("When a cluster is detached during its run, it should be left out with a reason, and the others continue", async () => {
    await given(...base, aManagedCluster("sno3"), anUpgrade({ clusters: ["sno1", "sno2", "sno3"] }));
    const all = aPolicy("platform", [], { sno1: "NonCompliant", sno2: "NonCompliant", sno3: "NonCompliant" });
    const policy = await world.hub.get(kinds.Policy, "platform", all.metadata.namespace);
    if (policy) await world.hub.updateStatus({ ...policy, status: all.status });
    await settle();
    await following({ sno1: "Succeeded", sno2: "Starting" }, "False", "InProgress");
    for (const name of ["sno1", "sno2"]) await world.hub.delete({ ...kinds.ManagedCluster, name });
    const plan = await settle();
    expect(issuesOf(plan)).toEqual(expect.arrayContaining(["ClusterDetached", "ClusterDetached"]));
    // sno1 keeps its result; sno2's slot is free, and sno3 waits for one as before.
    const { precaching } = Object((await cgu()).status);
    expect(precaching.clusters).toEqual(["sno3", "sno1"]);
    expect(await conditionsOf()).toContain("PrecacheSpecValid True PrecacheSpecIsWellFormed");

    await given(aManagedCluster("sno2"));
    expect((await settle()).decisions.map(({ verdict }) => verdict)).toEqual(["planned"]);
    expect(Object((await cgu()).status).precaching.clusters).toContain("sno2");
  });

  test("When a user names another cluster that does not exist, the selection should still be refused", async () => {
    await given(...base, anUpgrade());
    await settle();
    const present = await cgu();
    const spec = { ...Object(present.spec), clusters: ["sno1", "sno2", "nobody"] };
    await world.hub.update({ ...present, spec });
    expect(issuesOf(await settle())).toContain("ClusterNotFound");
  });

  test("When the plan is no longer valid, started clusters should continue and no other start", async () => {
    await given(...base, anUpgrade({ preCachingConfigRef: { name: "config" } }), aPreCachingConfig({}));
    await settle();
    await following({ sno1: "Active" }, "False", "InProgress");
    const config = await world.hub.get(kinds.PreCachingConfig, "config", "ztp");
    if (config) await world.hub.update({ ...config, spec: { spaceRequired: "much" } });
    await settle();
    expect((await conditionsOf()).at(-1)).toBe("PrecacheSpecValid False PrecacheSpecIncomplete");
    expect(Object((await cgu()).status).precaching).toMatchObject({
      spec: { platformImage: releaseImage },
      clusters: ["sno1"],
      status: { sno1: "Active" },
    });
  });

  test("When another workload image is requested, it should be recorded for the runs and restart them", async () => {
    const preCacheImage = `quay.io/acme/workload@${digestOf("2")}`;
    await given(...base, anUpgrade({ preCachingConfigRef: { name: "config" } }), aPreCachingConfig({}));
    await settle();
    const config = await world.hub.get(kinds.PreCachingConfig, "config", "ztp");
    if (config) await world.hub.update({ ...config, spec: { overrides: { preCacheImage } } });
    expect((await settle()).decisions.map(({ verdict }) => verdict)).toEqual(["planned"]);
    expect((await cgu()).metadata.annotations).toMatchObject({
      "hubrelay.dev/workload-image": preCacheImage,
    });
  });

  test("When the rollout has begun, the plan should stand as it is", async () => {
    await given(...base, {
      ...anUpgrade(),
      status: { conditions: [{ type: "Progressing", status: "True" }] },
    });
    expect((await planOnce()).actions).toEqual([]);
  });

  test("When the object is gone, the Events about it should go", async () => {
    await given(aManagedCluster("sno1"), aManagedCluster("sno2"), anUpgrade());
    await settle();
    await world.hub.delete({ ...kinds.ClusterGroupUpgrade, namespace: "ztp", name: "upgrade" });
    await apply(await planOnce());
    expect(await world.hub.list(kinds.Event)).toEqual([]);
  });
});

test("When annotations name a missing window and invalid limits, it should be reported on the object until they are fixed", async () => {
  const annotations = {
    ...annotated,
    "hubrelay.dev/maintenance-window": "night",
    "hubrelay.dev/max-per-registry": "quay.io",
    "hubrelay.dev/bandwidth": "fast",
    "hubrelay.dev/parallel-pulls": "all",
  };
  await given(...base, anUpgrade({}, { annotations }));
  await settle();
  const reported = async () =>
    (await world.hub.list(kinds.Event))
      .map(({ reason }) => reason)
      .filter((reason) => reason !== "HubVersionUnknown" && reason !== "Forecast")
      .sort();
  expect(await reported()).toEqual(["InvalidBandwidth", "InvalidLimit", "InvalidLimit", "WindowMissing"]);

  const { apiVersion, kind } = kinds.MaintenanceWindow;
  const spec = { schedule: "0 2 * * *", timeZone: "UTC", duration: "2h" };
  const window = { apiVersion, kind, metadata: { namespace: "ztp", name: "night" } };
  const broken = await world.hub.create({ ...window, spec: { ...spec, duration: "0h" } });
  await settle();
  expect(await reported()).toContain("WindowUnusable");
  await world.hub.update({ ...broken, spec });
  await settle();
  expect(await reported()).toEqual(["InvalidBandwidth", "InvalidLimit", "InvalidLimit"]);
});

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
      profile: "standard",
      indexRepositories: [],
      workloadImage: `quay.io/acme/w@${digestOf("3")}`,
      rollout: { windows: [], configs: [], managedClusters: [] },
      upgrades: [],
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
  const over = { ...anUpgrade(), status: { conditions: [{ type: "Succeeded", status: "True" }] } };
  const cases: readonly Readonly<{ name: string; snapshot: Snapshot; report: readonly string[] }>[] = [
    {
      name: "When nothing is planned yet, it should plan every cluster",
      snapshot: aSnapshot(anUpgrade()),
      report: [
        "ClusterGroupUpgrade/ztp/upgrade planned: 2 precache; InProgress: Precaching is required and not done",
        "update ClusterGroupUpgrade upgrade: records what its status refers to",
        "update-status ClusterGroupUpgrade upgrade: 2 precache; InProgress: Precaching is required and not done",
        "outcome precache-plan.planned ztp/upgrade",
      ],
    },
    {
      name: "When no cluster is selected, it should say why",
      snapshot: aSnapshot(anUpgrade({ clusters: [] })),
      report: [
        "ClusterGroupUpgrade/ztp/upgrade changed: no clusters; ValidationCompleted: Completed validation",
        "update ClusterGroupUpgrade upgrade: records what its status refers to",
        "update-status ClusterGroupUpgrade upgrade: no clusters; ValidationCompleted: Completed validation",
        "create Event NoClusterSelected",
        "outcome precache-plan.changed ztp/upgrade",
      ],
    },
    {
      name: "When a policy does not exist, it should say which",
      snapshot: aSnapshot(anUpgrade({ managedPolicies: ["missing"] })),
      report: [
        "ClusterGroupUpgrade/ztp/upgrade changed: 2 wait; NotAllManagedPoliciesExist: Missing managed policies: [missing]",
        "update ClusterGroupUpgrade upgrade: records what its status refers to",
        "update-status ClusterGroupUpgrade upgrade: 2 wait; NotAllManagedPoliciesExist: Missing managed policies: [missing]",
        "create Event NotAllManagedPoliciesExist",
        "outcome precache-plan.changed ztp/upgrade",
      ],
    },
    {
      name: "When the deployment has a workload image, it should record it",
      snapshot: aSnapshot(anUpgrade(), { workloadImage: `quay.io/acme/w@${digestOf("4")}` }),
      report: [
        "ClusterGroupUpgrade/ztp/upgrade planned: 2 precache; InProgress: Precaching is required and not done",
        "update ClusterGroupUpgrade upgrade: records what its status refers to",
        "update-status ClusterGroupUpgrade upgrade: 2 precache; InProgress: Precaching is required and not done",
        "outcome precache-plan.planned ztp/upgrade",
      ],
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
      report: [
        "ClusterGroupUpgrade/ztp/upgrade planned: 2 precache; InProgress: Precaching is required and not done",
        "update ClusterGroupUpgrade upgrade: records what its status refers to",
        "update-status ClusterGroupUpgrade upgrade: 2 precache; InProgress: Precaching is required and not done",
        "outcome precache-plan.planned ztp/upgrade",
      ],
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
      report: [
        "ClusterGroupUpgrade/ztp/upgrade planned: 2 precache; InProgress: Precaching is required and not done",
        "update ClusterGroupUpgrade upgrade: records what its status refers to",
        "update-status ClusterGroupUpgrade upgrade: 2 precache; InProgress: Precaching is required and not done",
        "create Event InvalidLimit",
        "outcome precache-plan.planned ztp/upgrade",
      ],
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

  test("When a plan is written already, it should say that it is unchanged", () => {
    const first = aSnapshot(anUpgrade());
    const { decisions } = decide(afterwards(first, decide(first)));
    expect(decisions.map(({ verdict }) => verdict)).toEqual(["unchanged"]);
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
