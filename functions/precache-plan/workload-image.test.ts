import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { base, planningHub, sentSubjectsOf } from "../../test/support/precache/precache-plan-hub.ts";
import { anUpgrade, aPreCachingConfig } from "../../test/support/precache/precache-plan-objects.ts";

const world = planningHub();
const { given, cgu, settle, following } = world;

describe("with a workload image of the deployment", () => {
  const inMirror = "registry.lab:8443/hubrelay/precache-workload:1";
  const noted = async () => (await cgu()).metadata.annotations?.["hubrelay.dev/workload-image"];
  const settleWith = (workloadImage?: string) =>
    settle(undefined, { ...noExternalPorts, planning: { ...noExternalPorts.planning, workloadImage } });

  test("When a ClusterGroupUpgrade is planned, it should be noted for the runs", async () => {
    await given(...base, anUpgrade());
    expect(sentSubjectsOf(await settleWith(inMirror))).toEqual(["sno1", "sno2"]);
    expect(await noted()).toBe(inMirror);
  });

  test("When its PreCachingConfig names another, that should count, however the setting changes", async () => {
    const preCacheImage = "quay.io/acme/workload:v1";
    await given(
      ...base,
      anUpgrade({ preCachingConfigRef: { name: "config" } }),
      aPreCachingConfig({ overrides: { preCacheImage } }),
    );
    await settleWith(inMirror);
    expect(await noted()).toBe(preCacheImage);
    expect(sentSubjectsOf(await settleWith("registry.lab:8443/hubrelay/precache-workload:2"))).toEqual([]);
    expect(await noted()).toBe(preCacheImage);
  });

  test("When the profile is hardened, it should count whatever a PreCachingConfig names", async () => {
    const overrides = { preCacheImage: "quay.io/acme/workload:v1" };
    await given(
      ...base,
      anUpgrade({ preCachingConfigRef: { name: "config" } }),
      aPreCachingConfig({ overrides }),
    );
    const planning = { ...noExternalPorts.planning, profile: "hardened", workloadImage: inMirror } as const;
    await settle(undefined, { ...noExternalPorts, planning });
    expect(await noted()).toBe(inMirror);
  });

  test("When the default is set explicitly, nothing should change", async () => {
    await given(...base, anUpgrade());
    await settle();
    expect((await settleWith("quay.io/hubrelay/precache-workload:0.1.0")).actions).toEqual([]);
  });

  test.for([
    { what: "none has begun", states: {} },
    {
      what: "those that have begun did not get far",
      states: { sno1: "UnrecoverableError", sno2: "Active" },
    },
  ])("When it changes while $what, all should begin anew with it", async ({ states }) => {
    await given(...base, anUpgrade());
    await settle();
    await following(states, "False", "InProgress");
    expect(sentSubjectsOf(await settleWith(inMirror))).toEqual(["sno1", "sno2"]);
    expect(await noted()).toBe(inMirror);
    expect(Object((await cgu()).status).precaching.status).toBeUndefined();
    expect(sentSubjectsOf(await settleWith())).toEqual(["sno1", "sno2"]);
    expect(await noted()).toBeUndefined();
  });

  test("When it changes after a cluster has succeeded, it should count from the next content on", async () => {
    await given(...base, anUpgrade({ preCachingConfigRef: { name: "config" } }), aPreCachingConfig({}));
    await settle();
    await following({ sno1: "Succeeded", sno2: "Active" }, "False", "InProgress");
    expect((await settleWith(inMirror)).actions).toEqual([]);

    const config = await world.hub.get(kinds.PreCachingConfig, "config", "ztp");
    if (config) await world.hub.update({ ...config, spec: { spaceRequired: "50 GiB" } });
    expect(sentSubjectsOf(await settleWith(inMirror))).toEqual(["sno1", "sno2"]);
    expect(await noted()).toBe(inMirror);
  });
});
