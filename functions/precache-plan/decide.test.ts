import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import {
  annotated,
  base,
  issuesOf,
  now,
  planningHub,
  sentSubjectsOf,
} from "../../test/support/precache/precache-plan-hub.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
  digestOf,
  releaseImage,
} from "../../test/support/precache/precache-plan-objects.ts";
import { precachePlan } from "./controller.ts";

const world = planningHub();
const { given, planOnce, cgu, apply, settle, conditionsOf, following } = world;

describe("planning on a hub without TALM", () => {
  test("When a ClusterGroupUpgrade requests pre-caching, it should write its plan and send a hint for every cluster", async () => {
    await given(...base, anUpgrade());
    const plan = await settle();
    expect(sentSubjectsOf(plan)).toEqual(["sno1", "sno2"]);
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
    expect(outcomesOf(plan).map(({ type }) => type)).toEqual(["dev.hubrelay.precache-plan.planned"]);
  });

  test("When it does not ask, nothing should be written", async () => {
    await given(...base, anUpgrade({ preCaching: false }));
    expect(await planOnce()).toMatchObject({ actions: [], decisions: [] });
  });

  test("When a policy is missing, it should report it in a condition and an Event, and plan once it exists", async () => {
    await given(aManagedCluster("sno1"), aManagedCluster("sno2"), anUpgrade());
    const plan = await settle();
    expect(issuesOf(plan)).toEqual(["NotAllManagedPoliciesExist"]);
    expect(await conditionsOf()).toEqual([
      "ClustersSelected True ClusterSelectionCompleted",
      "Validated False NotAllManagedPoliciesExist",
    ]);
    expect((await world.hub.list(kinds.Event)).map(({ reason }) => reason)).toEqual([
      "NotAllManagedPoliciesExist",
    ]);
    await given(aPolicy("platform", [aWantedRelease()]));
    await settle();
    expect((await conditionsOf()).at(-1)).toBe("PrecachingSuceeded False InProgress");
    expect((await world.hub.list(kinds.Event)).map(({ reason }) => reason)).toEqual(["HubVersionUnknown"]);
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
    await apply(await precachePlan.plan(world.hub, "ztp/upgrade", now, { ...noExternalPorts, planning }));
    expect(Object((await cgu()).status).precaching.spec.platformImage).toBe(releaseImage);
    const reported = (await world.hub.list(kinds.Event)).map(
      (event) => `${event.reason} ${String(event.message)}`,
    );
    expect(reported).toContainEqual(expect.stringContaining("OverrideIgnored"));
    expect(reported).toContainEqual(expect.stringContaining("4.30"));
    await apply(await planOnce());
    expect(Object((await cgu()).status).precaching.spec).toMatchObject(overrides);
  });

  test("When the content changes, it should start again everywhere", async () => {
    await given(...base, anUpgrade({ preCachingConfigRef: { name: "config" } }), aPreCachingConfig({}));
    await settle();
    await following({ sno1: "Succeeded", sno2: "Succeeded" });
    expect((await settle()).actions).toEqual([]);
    const config = await world.hub.get(kinds.PreCachingConfig, "config", "ztp");
    if (config) await world.hub.update({ ...config, spec: { spaceRequired: "50Gi" } });
    const plan = await settle();
    expect(sentSubjectsOf(plan)).toEqual(["sno1", "sno2"]);
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
    const policy = await world.hub.get(kinds.Policy, "platform", "policies");
    const listed = [...Object(policy?.status).status, { clustername: "sno3", compliant: "NonCompliant" }];
    if (policy) await world.hub.updateStatus({ ...policy, status: { status: listed } });
    const object = await cgu();
    await world.hub.update({
      ...object,
      spec: { ...Object(object.spec), clusters: ["sno1", "sno2", "sno3"] },
    });
    expect(sentSubjectsOf(await settle())).toEqual(["sno3"]);
    expect(Object((await cgu()).status).precaching.status).toEqual({ sno1: "Succeeded", sno2: "Active" });
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
    const back = await settle();
    expect(sentSubjectsOf(back)).toContain("sno2");
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
    if (config) await world.hub.update({ ...config, spec: { additionalImages: ["busybox"] } });
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
    expect(sentSubjectsOf(await settle())).toEqual(["sno1", "sno2"]);
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

  test("When only the status has changed since, it should read nothing but the object", async () => {
    await given(...base, anUpgrade());
    await settle();
    const read: string[] = [];
    const watched = { id: world.hub.id, get: world.hub.get, list: world.hub.list };
    const counting: typeof watched = {
      ...watched,
      get: (kind, name, namespace) => {
        read.push(kind.kind);
        return world.hub.get(kind, name, namespace);
      },
      list: (kind, options) => {
        read.push(kind.kind);
        return world.hub.list(kind, options);
      },
    };
    const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
    const hint = {
      verb: "update",
      reference: { apiVersion, kind, namespace: "ztp", name: "upgrade" },
    } as const;
    const plan = await precachePlan.plan(counting, "ztp/upgrade", now, noExternalPorts, [hint]);
    expect(plan.actions).toEqual([]);
    expect(read).toEqual(["ClusterGroupUpgrade"]);

    const object = await cgu();
    await world.hub.update({ ...object, spec: { ...Object(object.spec), clusters: ["sno1"] } });
    expect((await planOnce([hint])).actions).not.toEqual([]);
    expect((await planOnce([{ ...hint, verb: "add" }])).actions).not.toEqual([]);
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
      .filter((reason) => reason !== "HubVersionUnknown")
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
