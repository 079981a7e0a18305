import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { base, planningHub, talmLease } from "../../test/support/precache/precache-plan-hub.ts";
import { anUpgrade, aPreCachingConfig } from "../../test/support/precache/precache-plan-objects.ts";
import { precachingPorts } from "../../test/support/precache/precaching-ports.ts";

const world = planningHub();
const { given, cgu, settle, following } = world;

/** What a plan decides about its upgrade: `planned` when clusters start with it. */
const verdictOf = ({ decisions }: Plan) => decisions.map(({ verdict }) => verdict).join();

describe("with a workload image of the deployment", () => {
  const before = precachingPorts.planning.workloadImage;
  const inMirror = "registry.lab:8443/hubrelay/precache-workload:2";
  const noted = async () => (await cgu()).metadata.annotations?.["hubrelay.dev/workload-image"];
  const settleWith = (workloadImage: string) =>
    settle({ ...precachingPorts, planning: { ...precachingPorts.planning, workloadImage } });

  test.for([
    { what: "without TALM", annotations: {}, preCaching: true },
    { what: "beside TALM", annotations: { "hubrelay.dev/precaching": "true" }, preCaching: false },
  ])(
    "When there is none, $what a ClusterGroupUpgrade should say so in a condition until there is one, whatever its PreCachingConfig names",
    async ({ annotations, preCaching }) => {
      const off = { ...precachingPorts.planning, workloadImage: "", isOff: true };
      const overrides = { preCacheImage: "quay.io/acme/workload:v1" };
      await given(
        ...base,
        ...(preCaching ? [] : [talmLease()]),
        anUpgrade({ preCaching, preCachingConfigRef: { name: "config" } }, { annotations }),
        aPreCachingConfig({ overrides }),
      );
      expect(verdictOf(await settle({ ...precachingPorts, planning: off }))).toBe("changed");
      expect((await world.conditionsOf()).at(-1)).toBe("PrecacheSpecValid False PrecacheSpecIncomplete");
      expect(JSON.stringify((await cgu()).status)).toContain("HUBRELAY_WORKLOAD_IMAGE is not set");
      expect(Object((await cgu()).status).precaching.clusters).toEqual([]);
      expect(verdictOf(await settleWith(inMirror))).toBe("planned");
    },
  );

  test("When the profile is hardened, it should count whatever a PreCachingConfig names", async () => {
    const overrides = { preCacheImage: "quay.io/acme/workload:v1" };
    await given(
      ...base,
      anUpgrade({ preCachingConfigRef: { name: "config" } }),
      aPreCachingConfig({ overrides }),
    );
    const planning = { ...precachingPorts.planning, profile: "hardened", workloadImage: inMirror } as const;
    await settle({ ...precachingPorts, planning });
    expect(await noted()).toBe(inMirror);
  });

  test.for([
    { what: "no cluster has started", states: {} },
    { what: "no cluster that started has succeeded", states: { sno1: "UnrecoverableError", sno2: "Active" } },
  ])(
    "When it changes while $what, it should be planned with it, and the progress stay",
    async ({ states }) => {
      await given(...base, anUpgrade());
      await settle();
      await following(states, "False", "InProgress");
      expect(verdictOf(await settleWith(inMirror))).toBe("planned");
      expect(await noted()).toBe(inMirror);
      expect(Object((await cgu()).status).precaching.status).toEqual(states);
      expect(verdictOf(await settleWith(before))).toBe("planned");
      expect(await noted()).toBe(before);
    },
  );

  test("When it changes after a cluster has succeeded, it should count from the next content on", async () => {
    await given(...base, anUpgrade({ preCachingConfigRef: { name: "config" } }), aPreCachingConfig({}));
    await settle();
    await following({ sno1: "Succeeded", sno2: "Active" }, "False", "InProgress");
    expect((await settleWith(inMirror)).actions).toEqual([]);

    const config = await world.hub.get(kinds.PreCachingConfig, "config", "ztp");
    if (config) await world.hub.update({ ...config, spec: { spaceRequired: "50 GiB" } });
    expect(verdictOf(await settleWith(inMirror))).toBe("planned");
    expect(await noted()).toBe(inMirror);
  });
});
