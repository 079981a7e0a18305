import { describe, expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { verificationOf } from "#shared/runtime/verify.ts";
import { hypershiftFinalizer, olmMirror } from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  afterwards,
  annotated,
  aSettled,
  foundIn,
  inRelease,
  isEvent,
  settled,
} from "../../test/support/hosted-clusters/hosted-cluster-snapshots.ts";
import { sources, verifyWorld } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { aNodePool, inPlace } from "../../test/support/hosted-clusters/node-pools.ts";
import { mappedKeys } from "../../test/support/messages/mapped-keys.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { hostedClusters } from "./controller.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

const fromRelease = { "hubrelay.dev/image-content-sources": "release" };
const fromMirrors = { "hubrelay.dev/olm-catalogs": "from-mirrors" };

const night = windowObject({
  timeZone: "UTC",
  allow: { hostedClusters: { maxCost: "replace", selector: {} } },
});
const noon = new Date("2026-03-01T12:00:00Z");
const atNight = new Date("2026-03-02T02:00:00Z");

/** A hosted cluster with a blue NodePool, whose nodes' mirrors would change at noon. */
const aHub = (
  annotations: Readonly<Record<string, string>> = {},
  changes: Partial<Snapshot> = {},
): Snapshot =>
  settled({
    ...aSettled({ hostedCluster: annotated({ ...fromRelease, ...annotations }), nodePools: [aNodePool()] }),
    now: noon,
    ...changes,
  });
const changed = (annotations?: Readonly<Record<string, string>>, changes?: Partial<Snapshot>): Snapshot => ({
  ...aHub(annotations, changes),
  mirrorObjects: inRelease,
});

const writes = (plan: Plan): readonly string[] =>
  plan.actions
    .filter(({ object }) => object.reason !== "RegistryMirrors" && object.kind !== "Deployment")
    .map((action) => `${action.verb} ${isEvent(action) ? action.object.reason : action.object.kind}`);
const sourcesOf = ({ hostedCluster }: Snapshot): unknown => Object(hostedCluster?.spec).imageContentSources;
const heldDecision = ({ decisions }: Plan) => decisions.find(({ verdict }) => verdict === "held");

describe("a change of the nodes' mirrors of a hosted cluster", () => {
  test("When no window allows it, it should be held, be reported once, and name what lets it go ahead", () => {
    const hub = changed();
    const plan = decide(hub);
    expect(writes(plan)).toEqual(["create ChangeHeld"]);
    expect(heldDecision(plan)).toEqual({
      subject: "clusters/shop ImageContentSources",
      verdict: "held",
      reason:
        "The change costs replace and the hosted cluster has no annotation hubrelay.dev/max-cost: HyperShift replaces every node of NodePool blue (3 nodes). No maintenance window allows it. Set the annotation hubrelay.dev/max-cost to replace to let it go ahead.",
      differences: [
        "The mirrors of quay.io/openshift-release-dev/ocp-release become mirror.corp.example:5000/ocp/release.",
      ],
    });
    const [outcome] = outcomesOf(plan).filter(({ type }) => type.endsWith(".held"));
    expect(outcome?.data).toMatchObject({
      from: { contentSources: [] },
      to: { contentSources: sources },
      cost: {
        cost: "replace",
        rule: { code: "hosted-nodes-replaced" },
        nodePools: [{ name: "blue", upgradeType: "Replace", nodes: 3, cost: "replace" }],
      },
      conditions: [{ type: "Held", status: "True", reason: "CostExceedsMaximum" }],
    });
    const waiting = settled(afterwards(hub, plan));
    expect(sourcesOf(waiting)).toBeUndefined();
    expect(decide(waiting).actions).toEqual([]);
  });

  test("When a window allows it, it should wait for that by name, and be written when it opens", () => {
    const hub = changed({}, { windows: [night] });
    const plan = decide(hub);
    expect(writes(plan)).toEqual(["create ChangeWaitsForWindow"]);
    expect(plan.actions.find(({ object }) => object.reason === "ChangeWaitsForWindow")?.object).toMatchObject(
      {
        type: "Normal",
        metadata: { annotations: { "hubrelay.dev/waits-for": "fleet/night" } },
      },
    );
    expect(heldDecision(plan)?.reason).toContain(
      "It waits for the maintenance window fleet/night, which opens at 2026-03-02T02:00:00Z. Set the annotation hubrelay.dev/max-cost to replace to let it go ahead at once.",
    );
    expect(plan.requeueAt).toEqual(atNight);
    const waiting = settled(afterwards(hub, plan));
    const soon = { ...waiting, now: new Date("2026-03-02T01:59:59Z") };
    expect(writes(decide(soon)), "the Event, which the API server would remove").toEqual([
      "update ChangeWaitsForWindow",
    ]);

    const opened = decide({ ...waiting, now: atNight });
    expect(writes(opened)).toEqual(["update HostedCluster", "delete ChangeWaitsForWindow"]);
    expect(outcomesOf(opened)).toMatchObject([
      {
        type: "dev.hubrelay.hosted-clusters.changing",
        data: {
          consequence:
            "HyperShift replaces every node of NodePool blue (3 nodes). In the maintenance window fleet/night, which is open until 2026-03-02T04:30:00Z.",
          cost: { cost: "replace" },
          conditions: [{ type: "Held", status: "False", reason: "WindowOpen" }],
          window: { namespace: "fleet", name: "night", closesAt: "2026-03-02T04:30:00Z" },
        },
      },
    ]);
    const applied = settled(afterwards(waiting, opened));
    expect(sourcesOf(applied)).toEqual(sources);
    expect(writes(decide({ ...applied, now: new Date("2026-03-02T12:00:00Z") }))).toEqual([]);
  });

  test("When the clock disagrees with the hub's, it should be held in the opening, and every tick decide again", () => {
    const hub = changed({}, { windows: [night], now: atNight, clockAheadSeconds: -3_000 });
    const plan = decide(hub);
    expect(writes(plan)).toEqual(["create ChangeHeld"]);
    expect(heldDecision(plan)?.reason).toContain("hubrelay's clock is more than 60 s behind the hub's");
    const mirrors = plan.actions.find(({ object }) => object.reason === "RegistryMirrors")?.object;
    expect(mirrors?.metadata.annotations).toMatchObject({ "hubrelay.dev/decided-from": "" });
    const waiting = settled(afterwards(hub, plan));
    expect(writes(decide({ ...waiting, clockAheadSeconds: 0 }))).toEqual([
      "update HostedCluster",
      "delete ChangeHeld",
    ]);
  });

  test("When the mirrors are as before again, nothing should wait any more", () => {
    const hub = changed({}, { windows: [night] });
    const waiting = settled(afterwards(hub, decide(hub)));
    expect(writes(decide({ ...waiting, mirrorObjects: [] }))).toEqual(["delete ChangeWaitsForWindow"]);
  });

  test.for<{
    name: string;
    annotations?: Readonly<Record<string, string>>;
    nodePools: readonly KubernetesObject[];
  }>([
    {
      name: "the cluster allows everything",
      annotations: { "hubrelay.dev/max-cost": "replace" },
      nodePools: [aNodePool()],
    },
    {
      name: "its nodes change in place and it allows a drain",
      annotations: { "hubrelay.dev/max-cost": "drain" },
      nodePools: [aNodePool("blue", inPlace)],
    },
    { name: "it has no NodePools", nodePools: [] },
  ])("When $name, it should be written at once", ({ annotations, nodePools }) => {
    const plan = decide(changed(annotations, { nodePools }));
    expect(writes(plan)).toEqual(["update HostedCluster"]);
    expect(outcomesOf(plan)[0]?.data).toMatchObject({ conditions: [] });
    expect(outcomesOf(plan)[0]?.data).not.toHaveProperty("window");
  });

  test.for(["reboot", "drain", "all"])(
    "When the cluster allows %s and its nodes are replaced, it should be held",
    (maxCost) => {
      expect(writes(decide(changed({ "hubrelay.dev/max-cost": maxCost })))).toContain("create ChangeHeld");
    },
  );

  test("When the limit is not a cost, or it names a missing window, it should report that before a change waits", () => {
    const annotations = { "hubrelay.dev/max-cost": "all", "hubrelay.dev/maintenance-window": "nigth" };
    expect(decide(aHub(annotations)).issues).toMatchObject([
      { code: "InvalidMaxCost", value: "all" },
      { code: "WindowMissing", value: "clusters/nigth" },
    ]);
  });

  test("When it is held, the catalogs should still be written", () => {
    const hub = changed(fromMirrors, { findings: foundIn(olmMirror) });
    const refreshed = { ...hub, findings: foundIn(olmMirror, 2) };
    const plan = decide(refreshed);
    expect(writes(plan)).toEqual(["update HostedCluster", "create ChangeHeld"]);
    const next = afterwards(refreshed, plan);
    expect(sourcesOf(next)).toBeUndefined();
    const after = settled(next);
    expect(sourcesOf(after)).toEqual(sourcesOf(hub));
    expect(decide(after).actions).toEqual([]);
  });
});

describe("a held change beside HyperShift", () => {
  const derived = (annotations: Readonly<Record<string, string>> = {}) =>
    aHostedCluster({
      metadata: { finalizers: [hypershiftFinalizer], annotations: { ...fromRelease, ...annotations } },
    });

  test("When it is verified, it should be held and no drift", async () => {
    const world = await verifyWorld({ hostedCluster: derived(), objects: [aNodePool()] });
    await world.settle("clusters/shop");
    world.clock.now = new Date(world.clock.now.getTime() + 3_600_000);
    const plan = await world.settle("clusters/shop");
    const { decisions, differs, writes: pending } = verificationOf("hosted-clusters", "clusters/shop", plan);
    expect(decisions.map(({ verdict }) => verdict)).toEqual([
      "held",
      "in agreement",
      "in agreement",
      "in agreement",
    ]);
    expect(differs).toBe(true);
    expect(pending).toEqual([]);
  });

  test("When a window changes, it should wake the hosted clusters that wait, and no other", async () => {
    const other = aHostedCluster({ name: "other", metadata: { finalizers: [hypershiftFinalizer] } });
    const world = await verifyWorld({ hostedCluster: derived(), objects: [aNodePool(), other, night] });
    const { apiVersion, kind } = kinds.MaintenanceWindow;
    const woken = async () =>
      (await mappedKeys(hostedClusters, { apiVersion, kind, name: "night" }, world.hub)).map(
        ({ name }) => name,
      );
    expect(await woken()).toEqual([]);
    world.clock.now = noon;
    await world.settle("clusters/shop");
    expect(await woken()).toEqual(["clusters/shop"]);
    world.clock.now = atNight;
    await world.settle("clusters/shop");
    expect(await woken()).toEqual([]);
  });

  test("When a window's status changes only in its counts, it should wake nobody", () => {
    const [{ fingerprint } = {}] = hostedClusters.watches.filter(
      ({ kind }) => kind === kinds.MaintenanceWindow,
    );
    const status = (fields: object) => fingerprint?.({ ...night, status: { waiting: 1, ...fields } });
    expect(status({ waiting: 2 })).toBe(status({}));
    expect(status({ open: true })).not.toBe(status({}));
  });
});
