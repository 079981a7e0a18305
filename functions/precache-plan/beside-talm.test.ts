import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import {
  annotated,
  base,
  issuesOf,
  now,
  planningHub,
  talmLease,
} from "../../test/support/precache/precache-plan-hub.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPreCachingConfig,
} from "../../test/support/precache/precache-plan-objects.ts";
import { precachePlan } from "./controller.ts";

const world = planningHub();
const { given, planOnce, cgu, apply, settle, conditionsOf, following } = world;

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
      const plan = await planOnce();
      expect(plan.actions.length > 0).toBe(taken);
      if (!taken) expect(plan.decisions[0]).toMatchObject({ verdict: "left to others", owner: "talm" });
    },
  );

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

  const rolledOut = [{ type: "Progressing", status: "True", reason: "InProgress" }];
  test.for([
    { what: "was requested and never started", reported: ["RolloutBeforePrecaching"] },
    { what: "was done before", status: { precaching: { spec: {}, clusters: ["sno1"] } }, reported: [] },
    { what: "was left to TALM", spec: { preCaching: true }, reported: [] },
    { what: "was not requested", annotations: {}, reported: [] },
  ])(
    "When TALM's rollout continues and pre-caching $what, it should report $reported",
    async ({ spec, status, annotations = annotated, reported }) => {
      const upgrade = anUpgrade({ preCaching: false, enable: true, ...spec }, { annotations });
      await given(...base, talmLease(), { ...upgrade, status: { conditions: rolledOut, ...status } });
      const plan = await settle();
      expect(issuesOf(plan)).toEqual(reported);
      expect(plan.actions.map(({ object }) => object.kind)).toEqual(reported.map(() => "Event"));
    },
  );

  test("When TALM pre-caches an upgrade, no fleet should be read for it", async () => {
    await given(...base, anUpgrade(), talmLease());
    const read: string[] = [];
    const counted = {
      ...world.hub,
      list: (kind: (typeof kinds)["Policy"]) => {
        read.push(kind.kind);
        return world.hub.list(kind);
      },
    };
    await precachePlan.plan({ hub: counted, key: "ztp/upgrade", now, external: noExternalPorts });
    expect(read).toEqual(["Event", "Lease"]);
  });
});

describe("handing the rollout back in a window", () => {
  const own = { "hubrelay.dev/maintenance-window": "fleet/night" };
  const config = aPreCachingConfig({}, { annotations: own });
  const reference = { preCachingConfigRef: { name: config.metadata.name } };

  test.for([
    { what: "it names", named: own, objects: [windowObject()] },
    { what: "its PreCachingConfig names", spec: reference, objects: [config, windowObject()] },
  ])(
    "When the window that $what opens, it should reconcile, and set enable when the clock agrees with the hub's",
    async ({ named, spec, objects }) => {
      const annotations = { ...annotated, "hubrelay.dev/enable-after-precaching": "window", ...named };
      await given(
        ...base,
        talmLease(),
        ...objects,
        anUpgrade({ preCaching: false, ...spec }, { annotations }),
      );
      await apply(await planOnce());
      await following({ sno1: "Succeeded", sno2: "Succeeded" });
      const opening = new Date("2026-03-02T01:00:00Z");
      expect((await planOnce(new Date("2026-03-02T00:57:00Z"))).requeueAt).toEqual(opening);
      const ahead = await planOnce(opening, undefined, 3_000);
      await apply(ahead);
      expect((await world.hub.list(kinds.Event)).map(({ reason }) => reason)).toContain("ClockDiffers");
      expect(Object((await cgu()).spec).enable).toBe(false);
      await apply(await planOnce(opening));
      expect(Object((await cgu()).spec).enable).toBe(true);
    },
  );
});
