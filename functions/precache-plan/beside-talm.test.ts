import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
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

  test("When it is annotated and TALM does not pre-cache it, it should write only what is about pre-caching", async () => {
    await given(...base, talmLease(), anUpgrade({ preCaching: false }, { annotations: annotated }));
    const plan = await settle();
    expect(plan.decisions.map(({ verdict }) => verdict)).toEqual(["planned"]);
    expect(await conditionsOf()).toEqual(["PrecacheSpecValid True PrecacheSpecIsWellFormed"]);
    expect(Object((await cgu()).status).precaching.clusters).toEqual(["sno1", "sno2"]);
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

  test("When TALM pre-caches it and the annotation requests it as well, it should refuse and report it on the object", async () => {
    await given(...base, talmLease(), anUpgrade({}, { annotations: annotated }));
    const plan = await settle();
    expect(issuesOf(plan)).toEqual(["PreCachingByBoth"]);
    expect(plan.actions.map(({ object }) => object.kind)).toEqual(["Event"]);
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

  test.for([
    { wish: "now", at: now, states: "True", enable: true },
    { wish: "2026-03-01T01:00:00Z", at: now, states: "True", enable: true },
    { wish: "2026-03-01T04:00:00Z", at: now, states: "True", enable: false },
    { wish: "2026-03-01T04:00:00Z", at: new Date("2026-03-01T04:00:00Z"), states: "True", enable: true },
    { wish: "now", at: now, states: "False", enable: false },
    { wish: "tomorrow", at: now, states: "True", enable: false },
  ])(
    "When the rollout should start at $wish, it is $at and PrecachingSuceeded is $states, enable should be $enable",
    async ({ wish, at, states, enable }) => {
      const annotations = { ...annotated, "hubrelay.dev/enable-after-precaching": wish };
      await given(...base, talmLease(), anUpgrade({ preCaching: false }, { annotations }));
      await apply(await planOnce(at));
      await following(
        { sno1: "Succeeded", sno2: "PrecacheTimeout" },
        states,
        states === "True" ? "PartiallyDone" : "Failed",
      );
      const plan = await planOnce(at);
      await apply(plan);
      expect(Object((await cgu()).spec).enable).toBe(enable);
      expect(issuesOf(plan).includes("EnableTimeInvalid")).toBe(wish === "tomorrow");
    },
  );

  test.for([
    [
      "other content is planned now",
      { sno1: "Succeeded", sno2: "Succeeded" },
      [`registry.example.com/app@sha256:${"9".repeat(64)}`],
    ],
    ["a cluster has been added since", { sno1: "Succeeded" }, []],
  ] as const)(
    "When pre-caching is done according to the status, but %s, the rollout should wait",
    async ([, states, additionalImages]) => {
      const annotations = { ...annotated, "hubrelay.dev/enable-after-precaching": "now" };
      const spec = { preCaching: false, preCachingConfigRef: { name: "config" } };
      await given(...base, talmLease(), aPreCachingConfig({}), anUpgrade(spec, { annotations }));
      await settle();
      await following(states);
      const present = await world.hub.get(kinds.PreCachingConfig, "config", "ztp");
      if (present) await world.hub.update({ ...present, spec: { additionalImages } });
      await settle();
      expect(Object((await cgu()).spec).enable).toBe(false);
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
  // From two to half past four in Berlin, so from 01:00Z to 03:30Z.
  const done = async (annotations: Readonly<Record<string, string>>, ...windows: KubernetesObject[]) => {
    await given(
      ...base,
      talmLease(),
      ...windows,
      anUpgrade({ preCaching: false }, { annotations: { ...annotated, ...annotations } }),
    );
    await apply(await planOnce());
    await following({ sno1: "Succeeded", sno2: "Succeeded" });
  };
  const isEnabled = async () => Object((await cgu()).spec).enable;
  const wish = (value: string) => ({ "hubrelay.dev/enable-after-precaching": value });
  const own = { "hubrelay.dev/maintenance-window": "fleet/night" };

  test.each([
    ["is open", { ...wish("window"), ...own }, "2026-03-01T01:00:00Z", true],
    ["is closed", { ...wish("window"), ...own }, "2026-03-01T03:30:00Z", false],
    ["is named only for the rollout", wish("window=fleet/night"), "2026-03-01T02:00:00Z", true],
    [
      "of the rollout is closed, and that of pre-caching open",
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
      await apply(await planOnce(new Date(at)));
      expect(await isEnabled()).toBe(enable);
    },
  );

  const site = (name: string, of: string, spec: Readonly<Record<string, unknown>>) => ({
    ...windowObject({ ...spec, clusterSelector: { matchLabels: { site: of } } }),
    metadata: { namespace: "fleet", name },
  });
  const byNight = site("night", "a", {});
  const byNoon = site("noon", "a", { schedule: "0 12 * * *" });
  test.for<{
    name: string;
    sites: readonly [string, string];
    windows: readonly KubernetesObject[];
    ended?: Readonly<Record<string, string>>;
    at: string;
    enable: boolean;
  }>([
    { name: "one selects its clusters", sites: ["a", "a"], windows: [byNight], at: "02:00", enable: true },
    {
      name: "the one that selects them is closed",
      sites: ["a", "a"],
      windows: [byNight],
      at: "04:00",
      enable: false,
    },
    {
      name: "one of two that select them is open",
      sites: ["a", "a"],
      windows: [byNight, byNoon],
      at: "11:00",
      enable: true,
    },
    { name: "one selects one of them", sites: ["a", "c"], windows: [byNight], at: "02:00", enable: true },
    {
      name: "that of each cluster is open",
      sites: ["a", "b"],
      windows: [byNight, site("late", "b", { schedule: "0 3 * * *" })],
      at: "02:30",
      enable: true,
    },
    {
      name: "that of one cluster is closed",
      sites: ["a", "b"],
      windows: [byNight, site("late", "b", { schedule: "0 3 * * *" })],
      at: "01:30",
      enable: false,
    },
    {
      name: "that of the cluster that succeeded is open and that of the cluster that failed is closed",
      sites: ["a", "b"],
      windows: [byNight, site("noon", "b", { schedule: "0 12 * * *" })],
      ended: { sno1: "Succeeded", sno2: "PrecacheTimeout" },
      at: "02:00",
      enable: true,
    },
  ])(
    "When no window is named and $name, enable should be $enable",
    async ({ sites, windows, ended, at, enable }) => {
      const clusters = sites.map((of, index) => aManagedCluster(`sno${index + 1}`, { labels: { site: of } }));
      const annotations = { ...annotated, ...wish("window") };
      const upgrade = anUpgrade({ preCaching: false }, { annotations });
      await given(...base.slice(0, 1), ...clusters, talmLease(), ...windows, upgrade);
      await apply(await planOnce());
      await following(ended ?? { sno1: "Succeeded", sno2: "Succeeded" }, "True", "PartiallyDone");
      await apply(await planOnce(new Date(`2026-03-01T${at}:00Z`)));
      expect(await isEnabled()).toBe(enable);
    },
  );

  test("When the clusters' windows are open together later, it should wait for that, and report it when they never are", async () => {
    const clusters = ["a", "b"].map((of, index) =>
      aManagedCluster(`sno${index + 1}`, { labels: { site: of } }),
    );
    const annotations = { ...annotated, ...wish("window") };
    const upgrade = anUpgrade({ preCaching: false }, { annotations });
    await given(...base.slice(0, 1), ...clusters, talmLease(), byNight, upgrade);
    await given(site("late", "b", { schedule: "0 3 * * *" }));
    await apply(await planOnce());
    await following({ sno1: "Succeeded", sno2: "Succeeded" });
    const waiting = await planOnce(new Date("2026-03-02T01:58:00Z"));
    expect(waiting.requeueAt).toEqual(new Date("2026-03-02T02:00:00Z"));

    const late = await world.hub.get(kinds.MaintenanceWindow, "late", "fleet");
    if (late) await world.hub.update({ ...late, spec: { ...Object(late.spec), schedule: "0 12 * * *" } });
    const plan = await planOnce(new Date("2026-03-02T01:58:00Z"));
    expect(plan.issues.find(({ code }) => code === "EnableWindowsApart")?.message).toBe(
      "The windows of its clusters are not open at the same time in the coming openings: fleet/night; fleet/late.",
    );
    expect(plan.requeueAt).toBeUndefined();
  });

  test.each([
    ["of its PreCachingConfig", {}, true],
    ["that it names itself, another one,", { "hubrelay.dev/maintenance-window": "fleet/noon" }, false],
  ])("When the window %s decides, enable should follow it", async (_, named, enable) => {
    const config = aPreCachingConfig({}, { annotations: own });
    const annotations = { ...annotated, ...wish("window"), ...named };
    const reference = { preCachingConfigRef: { name: config.metadata.name } };
    const upgrade = anUpgrade({ preCaching: false, ...reference }, { annotations });
    await given(...base, talmLease(), config, windowObject(), byNoon, upgrade);
    await apply(await planOnce());
    await following({ sno1: "Succeeded", sno2: "Succeeded" });
    await apply(await planOnce());
    expect(await isEnabled()).toBe(enable);
  });

  test("When the window opens later, it should reconcile again at that moment", async () => {
    await done({ ...wish("window"), ...own }, windowObject());
    const plan = await planOnce(new Date("2026-03-02T00:57:00Z"));
    expect(plan.requeueAt).toEqual(new Date("2026-03-02T01:00:00Z"));
  });

  test.each([
    ["window=fleet/nobody", "fleet/nobody stays closed"],
    ["window", "No window is named"],
    ["window=", "No window is named"],
  ])(
    "When the annotation is %s and there is no such window, enable should stay false, and an issue should say why",
    async (value, reported) => {
      await done(wish(value), windowObject());
      const plan = await planOnce();
      await apply(plan);
      expect(await isEnabled()).toBe(false);
      expect(plan.issues.find(({ code }) => code === "EnableWindowMissing")?.message).toContain(reported);
    },
  );
});
