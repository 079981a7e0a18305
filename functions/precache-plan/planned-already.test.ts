import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { base, issuesOf, planningHub } from "../../test/support/precache/precache-plan-hub.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  releaseImage,
} from "../../test/support/precache/precache-plan-objects.ts";

const world = planningHub();
const { given, planOnce, cgu, settle, conditionsOf, following } = world;

describe("the plan of an upgrade that has one", () => {
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

  test("When the hub does not reach a cluster, it should start after the others, without another outcome", async () => {
    await given(...base, anUpgrade({ remediationStrategy: { maxConcurrency: 10, canaries: ["sno1"] } }));
    await settle();
    const [sno1] = (await world.hub.list(kinds.ManagedCluster)).filter(
      ({ metadata }) => metadata.name === "sno1",
    );
    if (sno1) await world.hub.update({ ...sno1, spec: { hubAcceptsClient: false } });
    const plan = await settle();
    expect(Object((await cgu()).status).precaching.clusters).toEqual(["sno2", "sno1"]);
    expect(outcomesOf(plan)).toEqual([]);
    expect((await settle()).actions).toEqual([]);
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

  test("When the rollout has begun, the plan should stand as it is", async () => {
    await given(...base, {
      ...anUpgrade(),
      status: { conditions: [{ type: "Progressing", status: "True" }] },
    });
    expect((await planOnce()).actions).toEqual([]);
  });
});
