import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DirectoryHub, openDirectoryHub } from "#shared/adapters/directory-hub.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { nothingBeyond } from "#shared/ports/beyond.ts";
import { applyPlan } from "#shared/shell/apply-plan.ts";
import type { Hint } from "#shared/shell/reaction.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
  digestOf,
  releaseImage,
} from "../../test/support/precache-plan-objects.ts";
import { precachePlan } from "./reaction.ts";

const now = new Date("2026-03-01T02:00:00Z");
const talmLease = (renewTime = "2026-03-01T01:59:55.000000Z"): KubernetesObject => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "9a2365a3.openshift.io", namespace: "openshift-operators" },
  spec: { holderIdentity: "talm-0", renewTime, leaseDurationSeconds: 15 },
});
const annotated = { "hubrelay.dev/precaching": "true" };

let folder: string;
let hub: DirectoryHub;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hubrelay-plan-"));
  hub = openDirectoryHub(folder);
});
afterEach(async () => {
  hub.close();
  await rm(folder, { recursive: true });
});

/** Puts objects on the hub, with what it sets itself left to it. */
async function given(...objects: readonly KubernetesObject[]): Promise<void> {
  for (const { metadata, ...object } of objects) {
    const { uid: _uid, resourceVersion: _version, generation: _generation, ...own } = metadata;
    const stored = await hub.create({ ...object, metadata: own });
    if (object.status !== undefined) await hub.updateStatus({ ...stored, status: object.status });
  }
}

const base = [aPolicy("platform", [aWantedRelease()]), aManagedCluster("sno1"), aManagedCluster("sno2")];
const look = (hints?: readonly Hint[], at = now) =>
  precachePlan.plan(hub, "ztp/upgrade", at, nothingBeyond, hints);
const cgu = async (): Promise<KubernetesObject> => {
  const found = await hub.get(kinds.ClusterGroupUpgrade, "upgrade", "ztp");
  if (!found) throw new Error("the ClusterGroupUpgrade is gone");
  return found;
};
const apply = (plan: Plan) =>
  applyPlan({ ...plan, sends: [] }, "ztp/upgrade", {
    hub,
    outcomes: { publish: async () => undefined },
    log: () => undefined,
  });

/** Plans until nothing is left to do, as the function does; answers the first plan. */
async function settle(hints?: readonly Hint[]): Promise<Plan> {
  const plan = await look(hints);
  await apply(plan);
  const again = await look();
  expect({ actions: again.actions, sends: again.sends ?? [] }).toEqual({ actions: [], sends: [] });
  return plan;
}

const conditionsOf = async () => {
  const { conditions } = Object((await cgu()).status);
  return (conditions as Record<string, string>[]).map(
    ({ type, status, reason }) => `${type} ${status} ${reason}`,
  );
};
const clustersToldOf = ({ sends = [] }: Plan) =>
  sends.flatMap(({ events }) => events.map(({ data }) => data.cluster ?? data.name));
const issuesOf = ({ issues }: Plan) => issues.map(({ code }) => code);

/** What following writes: states of clusters and the condition about them. */
async function following(
  states: Readonly<Record<string, string>>,
  status = "True",
  reason = "PrecachingCompleted",
) {
  const object = await cgu();
  const fields = Object(object.status);
  const others = fields.conditions.filter(({ type }: { type: string }) => type !== "PrecachingSuceeded");
  await hub.updateStatus({
    ...object,
    status: {
      ...fields,
      conditions: [...others, { type: "PrecachingSuceeded", status, reason, message: "m" }],
      precaching: { ...fields.precaching, status: states },
    },
  });
}

describe("planning on a hub without TALM", () => {
  test("When a ClusterGroupUpgrade asks for pre-caching, it should write its plan and tell every cluster", async () => {
    await given(...base, anUpgrade());
    const plan = await settle();
    expect(clustersToldOf(plan)).toEqual(["sno1", "sno2"]);
    expect(plan.sends?.[0]?.queue).toBe("precache-clusters");
    expect(await conditionsOf()).toEqual([
      "ClustersSelected True ClusterSelectionCompleted",
      "Validated True ValidationCompleted",
      "PrecacheSpecValid True PrecacheSpecIsWellFormed",
      "PrecachingSuceeded False InProgress",
    ]);
    expect(Object((await cgu()).status).precaching).toEqual({
      spec: { platformImage: releaseImage, spaceRequired: "35" },
      clusters: ["sno1", "sno2"],
    });
    expect(plan.outcomes.map(({ type }) => type)).toEqual(["dev.hubrelay.precache-plan.planned"]);
  });

  test("When it does not ask, nothing should be written", async () => {
    await given(...base, anUpgrade({ preCaching: false }));
    expect(await look()).toMatchObject({ actions: [], decisions: [] });
  });

  test("When a policy is missing, it should say so, tell it in an Event, and plan when it is there", async () => {
    await given(aManagedCluster("sno1"), aManagedCluster("sno2"), anUpgrade());
    const plan = await settle();
    expect(issuesOf(plan)).toEqual(["NotAllManagedPoliciesExist"]);
    expect(await conditionsOf()).toEqual([
      "ClustersSelected True ClusterSelectionCompleted",
      "Validated False NotAllManagedPoliciesExist",
    ]);
    expect((await hub.list(kinds.Event)).map(({ reason }) => reason)).toEqual(["NotAllManagedPoliciesExist"]);
    await given(aPolicy("platform", [aWantedRelease()]));
    await settle();
    expect((await conditionsOf()).at(-1)).toBe("PrecachingSuceeded False InProgress");
    expect((await hub.list(kinds.Event)).map(({ reason }) => reason)).toEqual(["HubVersionUnknown"]);
  });

  test("When the deprecated ConfigMap is used, its owner should see it in an Event", async () => {
    await given(...base, anUpgrade());
    await hub.create({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "cluster-group-upgrade-overrides", namespace: "ztp" },
      data: { excludePrecachePatterns: "aws" },
    });
    await settle();
    const events = await hub.list(kinds.Event);
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
    const planning = { profile: "hardened", hubVersion: "4.30" } as const;
    await apply(await precachePlan.plan(hub, "ztp/upgrade", now, { ...nothingBeyond, planning }));
    expect(Object((await cgu()).status).precaching.spec.platformImage).toBe(releaseImage);
    const told = (await hub.list(kinds.Event)).map((event) => `${event.reason} ${String(event.message)}`);
    expect(told).toContainEqual(expect.stringContaining("OverrideIgnored"));
    expect(told).toContainEqual(expect.stringContaining("4.30"));
    await apply(await look());
    expect(Object((await cgu()).status).precaching.spec).toMatchObject(overrides);
  });

  test("When the content changes, it should begin anew everywhere", async () => {
    await given(...base, anUpgrade({ preCachingConfigRef: { name: "config" } }), aPreCachingConfig({}));
    await settle();
    await following({ sno1: "Succeeded", sno2: "Succeeded" });
    expect((await settle()).actions).toEqual([]);
    const config = await hub.get(kinds.PreCachingConfig, "config", "ztp");
    if (config) await hub.update({ ...config, spec: { spaceRequired: "50Gi" } });
    const plan = await settle();
    expect(clustersToldOf(plan)).toEqual(["sno1", "sno2"]);
    expect((await conditionsOf()).at(-1)).toBe("PrecachingSuceeded False InProgress");
    expect(Object((await cgu()).status).precaching).toEqual({
      spec: { platformImage: releaseImage, spaceRequired: "50" },
      clusters: ["sno1", "sno2"],
    });
  });

  test("When a cluster is added, only that should begin", async () => {
    await given(...base, anUpgrade());
    await settle();
    await following({ sno1: "Succeeded", sno2: "Active" }, "False", "InProgress");
    await given(aManagedCluster("sno3"));
    const policy = await hub.get(kinds.Policy, "platform", "policies");
    const listed = [...Object(policy?.status).status, { clustername: "sno3", compliant: "NonCompliant" }];
    if (policy) await hub.updateStatus({ ...policy, status: { status: listed } });
    const object = await cgu();
    await hub.update({ ...object, spec: { ...Object(object.spec), clusters: ["sno1", "sno2", "sno3"] } });
    expect(clustersToldOf(await settle())).toEqual(["sno3"]);
    expect(Object((await cgu()).status).precaching.status).toEqual({ sno1: "Succeeded", sno2: "Active" });
  });

  test("When a cluster that has begun complies by now, it should stay, and one that has not should go", async () => {
    await given(...base, anUpgrade());
    await settle();
    await following({ sno1: "Succeeded" }, "False", "InProgress");
    const policy = await hub.get(kinds.Policy, "platform", "policies");
    const listed = ["sno1", "sno2"].map((clustername) => ({ clustername, compliant: "Compliant" }));
    if (policy) await hub.updateStatus({ ...policy, status: { status: listed } });
    await settle();
    expect(Object((await cgu()).status).precaching.clusters).toEqual(["sno1"]);
  });

  test("When a cluster is detached in the middle, it should be left out with a reason, and the others go on", async () => {
    await given(...base, aManagedCluster("sno3"), anUpgrade({ clusters: ["sno1", "sno2", "sno3"] }));
    const all = aPolicy("platform", [], { sno1: "NonCompliant", sno2: "NonCompliant", sno3: "NonCompliant" });
    const policy = await hub.get(kinds.Policy, "platform", all.metadata.namespace);
    if (policy) await hub.updateStatus({ ...policy, status: all.status });
    await settle();
    await following({ sno1: "Succeeded", sno2: "Starting" }, "False", "InProgress");
    for (const name of ["sno1", "sno2"]) await hub.delete({ ...kinds.ManagedCluster, name });
    const plan = await settle();
    expect(issuesOf(plan)).toEqual(expect.arrayContaining(["ClusterDetached", "ClusterDetached"]));
    // What sno1 has is told on; sno2's place is free, and sno3 waits for one as before.
    const { precaching } = Object((await cgu()).status);
    expect(precaching.clusters).toEqual(["sno3", "sno1"]);
    expect(await conditionsOf()).toContain("PrecacheSpecValid True PrecacheSpecIsWellFormed");

    await given(aManagedCluster("sno2"));
    const back = await settle();
    expect(clustersToldOf(back)).toContain("sno2");
  });

  test("When a person names another cluster that is none, the whole should be refused as ever", async () => {
    await given(...base, anUpgrade());
    await settle();
    const present = await cgu();
    const spec = { ...Object(present.spec), clusters: ["sno1", "sno2", "nobody"] };
    await hub.update({ ...present, spec });
    expect(issuesOf(await settle())).toContain("ClusterNotFound");
  });

  test("When the plan is no longer valid, what has begun should go on and nothing else begin", async () => {
    await given(...base, anUpgrade({ preCachingConfigRef: { name: "config" } }), aPreCachingConfig({}));
    await settle();
    await following({ sno1: "Active" }, "False", "InProgress");
    const config = await hub.get(kinds.PreCachingConfig, "config", "ztp");
    if (config) await hub.update({ ...config, spec: { additionalImages: ["busybox"] } });
    await settle();
    expect((await conditionsOf()).at(-1)).toBe("PrecacheSpecValid False PrecacheSpecIncomplete");
    expect(Object((await cgu()).status).precaching).toMatchObject({
      spec: { platformImage: releaseImage },
      clusters: ["sno1"],
      status: { sno1: "Active" },
    });
  });

  test("When another workload image is asked for, it should be noted for the runs and begin anew", async () => {
    const preCacheImage = `quay.io/acme/workload@${digestOf("2")}`;
    await given(...base, anUpgrade({ preCachingConfigRef: { name: "config" } }), aPreCachingConfig({}));
    await settle();
    const config = await hub.get(kinds.PreCachingConfig, "config", "ztp");
    if (config) await hub.update({ ...config, spec: { overrides: { preCacheImage } } });
    expect(clustersToldOf(await settle())).toEqual(["sno1", "sno2"]);
    expect((await cgu()).metadata.annotations).toEqual({ "hubrelay.dev/workload-image": preCacheImage });
  });

  test("When the rollout has begun, the plan should stand as it is", async () => {
    await given(...base, {
      ...anUpgrade(),
      status: { conditions: [{ type: "Progressing", status: "True" }] },
    });
    expect((await look()).actions).toEqual([]);
  });

  test("When only the status has changed since, it should read nothing but the object", async () => {
    await given(...base, anUpgrade());
    await settle();
    const read: string[] = [];
    const watched = { id: hub.id, get: hub.get, list: hub.list };
    const counting: typeof watched = {
      ...watched,
      get: (kind, name, namespace) => {
        read.push(kind.kind);
        return hub.get(kind, name, namespace);
      },
      list: (kind, options) => {
        read.push(kind.kind);
        return hub.list(kind, options);
      },
    };
    const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
    const hint = {
      verb: "update",
      reference: { apiVersion, kind, namespace: "ztp", name: "upgrade" },
    } as const;
    const plan = await precachePlan.plan(counting, "ztp/upgrade", now, nothingBeyond, [hint]);
    expect(plan.actions).toEqual([]);
    expect(read).toEqual(["ClusterGroupUpgrade"]);

    const object = await cgu();
    await hub.update({ ...object, spec: { ...Object(object.spec), clusters: ["sno1"] } });
    expect((await look([hint])).actions).not.toEqual([]);
    expect((await look([{ ...hint, verb: "add" }])).actions).not.toEqual([]);
  });
});

describe("planning beside TALM", () => {
  test.for([
    { what: "its Lease is renewed", objects: [talmLease()], finalizers: [], taken: false },
    {
      what: "its Lease is old",
      objects: [talmLease("2026-03-01T01:00:00.000000Z")],
      finalizers: ["ran.openshift.io/cleanup-finalizer"],
      taken: true,
    },
    {
      what: "there is no Lease but its finalizer",
      objects: [],
      finalizers: ["ran.openshift.io/cleanup-finalizer"],
      taken: false,
    },
    { what: "there is neither", objects: [], finalizers: [], taken: true },
  ])(
    "When $what, taking a ClusterGroupUpgrade with preCaching should be $taken",
    async ({ objects, finalizers, taken }) => {
      await given(...base, ...objects, anUpgrade({}, { finalizers }));
      const plan = await look();
      expect(plan.actions.length > 0).toBe(taken);
      if (!taken) expect(plan.decisions[0]).toMatchObject({ verdict: "left to others", owner: "talm" });
    },
  );

  test("When it is annotated and TALM keeps off, it should write what is about pre-caching alone", async () => {
    await given(...base, talmLease(), anUpgrade({ preCaching: false }, { annotations: annotated }));
    const plan = await settle();
    expect(clustersToldOf(plan)).toEqual(["sno1", "sno2"]);
    expect(await conditionsOf()).toEqual([
      "PrecacheSpecValid True PrecacheSpecIsWellFormed",
      "PrecachingSuceeded False InProgress",
    ]);
  });

  test("When it cannot be planned, the status should keep TALM from going on without it", async () => {
    await given(
      talmLease(),
      aManagedCluster("sno1"),
      aManagedCluster("sno2"),
      anUpgrade({ preCaching: false }, { annotations: annotated }),
    );
    await settle();
    expect(await conditionsOf()).toEqual(["PrecacheSpecValid False PrecacheSpecIncomplete"]);
    expect(Object((await cgu()).status).precaching).toEqual({ spec: {}, clusters: [] });
  });

  test("When TALM pre-caches it and the annotation asks as well, it should refuse and say so on the object", async () => {
    await given(...base, talmLease(), anUpgrade({}, { annotations: annotated }));
    const plan = await settle();
    expect(issuesOf(plan)).toEqual(["PreCachingByBoth"]);
    expect(plan.actions.map(({ object }) => object.kind)).toEqual(["Event"]);
  });

  test.for([
    { wish: "now", at: now, states: "True", enable: true },
    { wish: "2026-03-01T01:00:00Z", at: now, states: "True", enable: true },
    { wish: "2026-03-01T04:00:00Z", at: now, states: "True", enable: false },
    { wish: "2026-03-01T04:00:00Z", at: new Date("2026-03-01T04:00:00Z"), states: "True", enable: true },
    { wish: "now", at: now, states: "False", enable: false },
    { wish: "tomorrow", at: now, states: "True", enable: false },
  ])(
    "When the rollout is to go on $wish, it is $at and success is $states, enable should be $enable",
    async ({ wish, at, states, enable }) => {
      const annotations = { ...annotated, "hubrelay.dev/enable-after-precaching": wish };
      await given(...base, talmLease(), anUpgrade({ preCaching: false }, { annotations }));
      await apply(await look(undefined, at));
      await following(
        { sno1: "Succeeded", sno2: "PrecacheTimeout" },
        states,
        states === "True" ? "PartiallyDone" : "Failed",
      );
      const plan = await look(undefined, at);
      await apply(plan);
      expect(Object((await cgu()).spec).enable).toBe(enable);
      expect(issuesOf(plan).includes("EnableTimeInvalid")).toBe(wish === "tomorrow");
    },
  );
});

describe("handing the rollout back in a window", () => {
  // From two to half past four in Berlin, so from 01:00Z to 03:30Z.
  const done = async (annotations: Readonly<Record<string, string>>, ...windows: KubernetesObject[]) => {
    await given(
      ...base,
      talmLease(),
      ...windows,
      anUpgrade({ preCaching: false }, { annotations: { ...annotated, ...annotations } }),
    );
    await apply(await look());
    await following({ sno1: "Succeeded", sno2: "Succeeded" });
  };
  const isEnabled = async () => Object((await cgu()).spec).enable;
  const wish = (value: string) => ({ "hubrelay.dev/enable-after-precaching": value });
  const own = { "hubrelay.dev/maintenance-window": "fleet/night" };
  const update: Hint = {
    verb: "update",
    reference: { ...kinds.ClusterGroupUpgrade, namespace: "ztp", name: "upgrade" },
  };

  test.each([
    ["is open", { ...wish("window"), ...own }, "2026-03-01T01:00:00Z", true],
    ["is shut", { ...wish("window"), ...own }, "2026-03-01T03:30:00Z", false],
    ["is named for the rollout alone", wish("window=fleet/night"), "2026-03-01T02:00:00Z", true],
    [
      "of the rollout is shut, and that of pre-caching open",
      { ...wish("window=fleet/day"), ...own },
      "2026-03-01T02:00:00Z",
      false,
    ],
    ["is open, of several", wish("window=fleet/day, fleet/night"), "2026-03-01T02:00:00Z", true],
    ["allows no pre-caching", wish("window=fleet/rollouts"), "2026-03-01T02:00:00Z", true],
  ])(
    "When the window %s, that should decide, also as soon as pre-caching ends",
    async (_, annotations, at, enable) => {
      const day = windowObject({ schedule: "0 12 * * *" });
      const rollouts = windowObject({ allow: { preCaching: false } });
      await done(
        annotations,
        windowObject(),
        { ...day, metadata: { ...day.metadata, name: "day" } },
        { ...rollouts, metadata: { ...rollouts.metadata, name: "rollouts" } },
      );
      for (const hints of [[update], undefined]) await apply(await look(hints, new Date(at)));
      expect(await isEnabled()).toBe(enable);
    },
  );

  test("When the window opens soon, it should look again at that moment", async () => {
    await done({ ...wish("window"), ...own }, windowObject());
    const plan = await look([update], new Date("2026-03-02T00:57:00Z"));
    expect(plan.requeueAt).toEqual(new Date("2026-03-02T01:00:00Z"));
  });

  test.each([
    ["window=fleet/nobody", "fleet/nobody stays shut"],
    ["window", "No window is named"],
    ["window=", "No window is named"],
  ])(
    "When the wish is %s and there is no such window, it should stay shut and be told",
    async (value, told) => {
      await done(wish(value), windowObject());
      const plan = await look();
      await apply(plan);
      expect(await isEnabled()).toBe(false);
      expect(plan.issues.find(({ code }) => code === "EnableWindowMissing")?.message).toContain(told);
    },
  );
});

describe("what leads to a ClusterGroupUpgrade", () => {
  const { keyOf } = precachePlan;

  test("When a PreCachingConfig changes, every ClusterGroupUpgrade that names it should be planned anew", async () => {
    const ref = { preCachingConfigRef: { name: "config", namespace: "ztp" } };
    await given(
      anUpgrade(ref),
      anUpgrade(ref, { name: "far", namespace: "edge" }),
      anUpgrade({}, { name: "other" }),
      anUpgrade({ preCachingConfigRef: { name: "config" } }, { name: "own", namespace: "edge" }),
    );
    const { apiVersion, kind } = kinds.PreCachingConfig;
    const key = keyOf({ apiVersion, kind, namespace: "ztp", name: "config" }) ?? "";
    const plan = await precachePlan.plan(hub, key, now);
    expect(plan.sends?.[0]?.queue).toBe("precache-plans");
    expect(plan.sends?.[0]?.events.map(({ data }) => `${data.namespace}/${data.name}`)).toEqual([
      "edge/far",
      "ztp/upgrade",
    ]);
    expect(plan.sends?.[0]?.events.map(({ data }) => keyOf(data))).toEqual(["edge/far", "ztp/upgrade"]);
  });

  test("When policies or clusters change, those that depend on them should be planned anew, once, and no other", async () => {
    await given(
      anUpgrade(),
      anUpgrade({ managedPolicies: ["operators"], clusters: ["sno7"] }, { name: "far", namespace: "edge" }),
      anUpgrade({ managedPolicies: ["other"], clusters: ["sno8"] }, { name: "other" }),
      anUpgrade({ preCaching: false }, { name: "asleep" }),
    );
    const hints = ["platform", "ztp.platform", "operators"].map((name): Hint => {
      const { metadata, ...policy } = aPolicy(name, []);
      return { verb: "update", reference: { ...policy, namespace: metadata.namespace ?? "", name } };
    });
    const cluster = { verb: "delete", reference: { ...aManagedCluster("sno1"), name: "sno1" } } as const;
    const keys = [...hints, cluster].map(({ reference }) => keyOf(reference));
    expect(new Set(keys).size).toBe(1);
    const plan = await precachePlan.plan(hub, keys[0] ?? "", now, nothingBeyond, [...hints, cluster]);
    expect(plan.sends?.map(({ queue }) => queue)).toEqual(["precache-plans"]);
    expect(clustersToldOf(plan)).toEqual(["far", "upgrade"]);
    expect(plan.actions).toEqual([]);
  });

  test("When a whole fleet has changed, everybody who asks for pre-caching should be planned anew", async () => {
    await given(anUpgrade({ clusters: ["sno8"] }), anUpgrade({ preCaching: false }, { name: "asleep" }));
    const hint: Hint = {
      verb: "update",
      reference: { ...aManagedCluster("sno1"), name: "sno1" },
      feedback: { many: true },
    };
    const plan = await precachePlan.plan(hub, keyOf(hint.reference) ?? "", now, nothingBeyond, [hint]);
    expect(clustersToldOf(plan)).toEqual(["upgrade"]);
  });

  test("When TALM pre-caches an upgrade, no fleet should be read for it", async () => {
    await given(...base, anUpgrade(), talmLease());
    const read: string[] = [];
    const counted = {
      ...hub,
      list: (kind: (typeof kinds)["Policy"]) => {
        read.push(kind.kind);
        return hub.list(kind);
      },
    };
    await precachePlan.plan(counted, "ztp/upgrade", now);
    expect(read).toEqual(["Event", "Lease"]);
  });

  test("When a hint is about a single cluster, it should not concern planning", () => {
    const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
    expect(keyOf({ apiVersion, kind, namespace: "ztp", name: "upgrade", cluster: "sno1" })).toBeUndefined();
  });

  test("When the object is gone, the Events about it should go", async () => {
    await given(aManagedCluster("sno1"), aManagedCluster("sno2"), anUpgrade());
    await settle();
    await hub.delete({ ...kinds.ClusterGroupUpgrade, namespace: "ztp", name: "upgrade" });
    await apply(await look());
    expect(await hub.list(kinds.Event)).toEqual([]);
  });
});

test("When annotations name a window that is not there and limits that are none, it should be told on the object until they are right", async () => {
  const annotations = {
    ...annotated,
    "hubrelay.dev/maintenance-window": "night",
    "hubrelay.dev/max-per-registry": "quay.io",
    "hubrelay.dev/bandwidth": "fast",
  };
  await given(...base, anUpgrade({}, { annotations }));
  await settle();
  const told = async () =>
    (await hub.list(kinds.Event))
      .map(({ reason }) => reason)
      .filter((reason) => reason !== "HubVersionUnknown")
      .sort();
  expect(await told()).toEqual(["InvalidBandwidth", "InvalidLimit", "WindowMissing"]);

  const { apiVersion, kind } = kinds.MaintenanceWindow;
  const spec = { schedule: "0 2 * * *", timeZone: "UTC", duration: "2h" };
  const window = { apiVersion, kind, metadata: { namespace: "ztp", name: "night" } };
  const broken = await hub.create({ ...window, spec: { ...spec, duration: "0h" } });
  await settle();
  expect(await told()).toContain("WindowUnusable");
  await hub.update({ ...broken, spec });
  await settle();
  expect(await told()).toEqual(["InvalidBandwidth", "InvalidLimit"]);
});
