import { describe, expect, test } from "vitest";
import { drainOverrideMap, machineOSConfig, runs } from "#shared/domain/diff/node-cost/fixtures.ts";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { afterwards, aHub, release, verdicts, written } from "../../test/support/hub/mirror-config-hub.ts";
import { aClusterVersion, aPool, aTagMirrorSet } from "../../test/support/hub/objects.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

const limited = (maxCost: string) =>
  aPool("worker", {
    annotations: { "hubrelay.dev/max-cost": maxCost },
    labels: { "machineconfiguration.openshift.io/mco-built-in": "" },
  });

const tagged = aTagMirrorSet("tags", [
  { source: "quay.io/acme", mirrors: ["registry.hub.example.com:8443/acme"] },
]);

describe("a change that costs more than the pool allows", () => {
  test("When a change costs more than the pool allows, it should hold it, report it once, and write it when the limit is raised", () => {
    const start = aHub({ pools: [limited("reload")] });
    const before = afterwards(start, decide({ ...start, pools: [limited("drain")] }));
    const changed = { ...before, mirrorObjects: [release, tagged] };
    const plan = decide(changed);
    expect(verdicts(plan)).toEqual(["99-worker-generated-registries held"]);
    expect(written(plan)).toEqual(["create Event ChangeHeld"]);
    expect(outcomesOf(plan)).toMatchObject([
      {
        type: "dev.hubrelay.mirror-config.held",
        data: { cost: { cost: "drain" }, conditions: [{ type: "Held", status: "True" }] },
      },
    ]);
    const waiting = afterwards(changed, plan);
    expect(decide(waiting)).toMatchObject({ actions: [] });
    const raised = decide({ ...waiting, pools: [limited("drain")] });
    expect(written(raised)).toEqual([
      "update MachineConfig 99-worker-generated-registries",
      "delete Event ChangeHeld",
    ]);
  });

  test("When a pool's limit is invalid, it should hold every change that costs anything and name the annotation", () => {
    const plan = decide(
      aHub({
        pools: [limited("sometimes")],
        mirrorObjects: [
          release,
          aTagMirrorSet("tags", [{ source: "quay.io/acme", mirrors: ["m.example.com"] }]),
        ],
      }),
    );
    expect(verdicts(plan)).toEqual(["99-worker-generated-registries held"]);
    expect(written(plan)).toContain("create Event InvalidMaxCost");
  });
});

describe("what decides the cost up to 4.19", () => {
  const objects = {
    override: drainOverrideMap,
    worker: machineOSConfig("worker"),
    infra: machineOSConfig("infra"),
  };
  const { desired } = fieldsOf(aClusterVersion().status);
  test.for([
    { version: "4.19.3", max: "reload", object: "override", verdict: "update", cost: "reload" },
    { version: "4.20.3", max: "reload", object: "override", verdict: "held", cost: "drain" },
    { version: "4.19.3", max: "drain", object: "worker", verdict: "held", cost: "reboot" },
    { version: "4.20.3", max: "drain", object: "worker", verdict: "update", cost: "drain" },
    { version: "4.19.3", max: "drain", object: "infra", verdict: "update", cost: "drain" },
  ] as const)(
    "On $version with the limit $max and $object, the verdict should be: $verdict",
    ({ version, max, object, verdict, cost }) => {
      const clusterVersion = runs(version);
      const status = { ...fieldsOf(clusterVersion.status), desired };
      const start = aHub({ pools: [limited("reload")], clusterVersion: { ...clusterVersion, status } });
      const written = afterwards(start, decide(start));
      const plan = decide({
        ...written,
        pools: [limited(max)],
        mirrorObjects: [release, tagged],
        releaseObjects: [objects[object]],
      });
      expect(verdicts(plan)).toEqual([`99-worker-generated-registries ${verdict}`]);
      expect(outcomesOf(plan)[0]?.data.cost).toMatchObject({ cost });
    },
  );
});

describe("a change that costs more than the pool allows, with a maintenance window for it", () => {
  const night = windowObject({ timeZone: "UTC", allow: { maxCost: { worker: "drain" } } });
  const at = (hub: Snapshot, time: string) => ({ ...hub, now: new Date(time) });
  const start = aHub({ pools: [limited("reload")], windows: [night] });
  const changed = (): Snapshot => ({
    ...afterwards(start, decide({ ...start, pools: [limited("drain")] })),
    mirrorObjects: [release, tagged],
  });

  test("When the window is closed, it should wait for it by name, and be written when it opens", () => {
    const noon = at(changed(), "2026-03-01T12:00:00Z");
    const plan = decide(noon);
    expect(written(plan)).toEqual(["create Event ChangeWaitsForWindow"]);
    expect(plan.decisions[0]).toMatchObject({
      verdict: "held",
      reason: expect.stringContaining("fleet/night, which opens at 2026-03-02T02:00:00Z"),
    });
    expect(plan.requeueAt).toEqual(new Date("2026-03-02T02:00:00Z"));
    expect(outcomesOf(plan)).toMatchObject([
      {
        type: "dev.hubrelay.mirror-config.held",
        data: {
          conditions: [{ type: "Held", status: "True", reason: "WaitsForWindow" }],
          window: { namespace: "fleet", name: "night", opensAt: "2026-03-02T02:00:00Z" },
        },
      },
    ]);
    const waiting = afterwards(noon, plan);
    expect(decide(waiting)).toMatchObject({ actions: [] });
    const soon = decide(at(waiting, "2026-03-02T01:59:59Z"));
    expect(written(soon), "the Event, which the API server would remove").toEqual([
      "update Event ChangeWaitsForWindow",
    ]);

    const opened = decide(at(waiting, "2026-03-02T02:00:00Z"));
    expect(written(opened)).toEqual([
      "update MachineConfig 99-worker-generated-registries",
      "delete Event ChangeWaitsForWindow",
    ]);
    expect(outcomesOf(opened)).toMatchObject([
      {
        type: "dev.hubrelay.mirror-config.rendered",
        data: {
          conditions: [{ type: "Held", status: "False", reason: "WindowOpen" }],
          window: { namespace: "fleet", name: "night", closesAt: "2026-03-02T04:30:00Z" },
        },
      },
    ]);
    const applied = afterwards(waiting, opened);
    expect(decide(at(applied, "2026-03-02T02:01:00Z"))).toMatchObject({ actions: [] });
    expect(verdicts(decide(at(applied, "2026-03-02T12:00:00Z")))).toEqual([
      "99-worker-generated-registries unchanged",
    ]);
  });

  test("When the clock disagrees with the hub's, it should be held in the opening, and the Event say why", () => {
    const night = at(changed(), "2026-03-02T02:00:00Z");
    const ahead = { ...night, clockAheadSeconds: 3_000 };
    const plan = decide(ahead);
    expect(written(plan)).toEqual(["create Event ChangeHeld"]);
    expect(plan.decisions[0]?.reason).toContain(
      "A window that should allow it does not open: hubrelay's clock is more than 60 s ahead of the hub's: no maintenance window opens.",
    );
    const held = afterwards(ahead, plan);
    expect(decide({ ...held, clockAheadSeconds: 3_001.5 })).toMatchObject({ actions: [] });
    expect(written(decide({ ...held, clockAheadSeconds: 60 }))).toEqual([
      "update MachineConfig 99-worker-generated-registries",
      "delete Event ChangeHeld",
    ]);
    const raised = { ...held, pools: [limited("drain")] };
    expect(written(decide(raised)), "no window is needed").toContain(
      "update MachineConfig 99-worker-generated-registries",
    );
  });

  test("When one pool waits, the others should be written", () => {
    const master = { ...limited("drain"), metadata: { ...limited("drain").metadata, name: "master" } };
    const plan = decide(at({ ...changed(), pools: [master, limited("reload")] }, "2026-03-01T12:00:00Z"));
    expect(verdicts(plan)).toEqual([
      "99-master-generated-registries create",
      "99-worker-generated-registries held",
    ]);
  });

  test("When no window allows so much, it should wait for a user, and report again when a window allows it", () => {
    const noon = { ...at(changed(), "2026-03-01T12:00:00Z"), windows: [] };
    const held = decide(noon);
    expect(written(held)).toEqual(["create Event ChangeHeld"]);
    const plan = decide({ ...afterwards(noon, held), windows: [night] });
    expect(written(plan).toSorted()).toEqual([
      "create Event ChangeWaitsForWindow",
      "delete Event ChangeHeld",
    ]);
    expect(outcomesOf(plan)).toMatchObject([{ data: { conditions: [{ reason: "WaitsForWindow" }] } }]);
  });

  test("When a pool names a window that does not exist, it should report that before a change waits for it", () => {
    const { metadata, ...pool } = limited("reload");
    const annotations = { ...metadata.annotations, "hubrelay.dev/maintenance-window": "fleet/nigth" };
    const naming = { ...start, pools: [{ ...pool, metadata: { ...metadata, annotations } }] };
    const plan = decide(naming);
    expect(written(plan)).toContain("create Event WindowMissing");
    expect(plan.issues).toMatchObject([
      { code: "WindowMissing", value: "fleet/nigth", object: { name: "worker" } },
    ]);
    const reported = afterwards(naming, plan);
    expect(decide(reported)).toMatchObject({ actions: [] });
    const there = windowObject();
    const found = { ...there, metadata: { ...there.metadata, name: "nigth" } };
    expect(written(decide({ ...reported, windows: [night, found] }))).toEqual(["delete Event WindowMissing"]);
  });

  test("When windows that allow the change are broken, it should name each", () => {
    const broken = (name: string) => {
      const window = windowObject({ duration: "0h", allow: { maxCost: { worker: "drain" } } });
      return { ...window, metadata: { ...window.metadata, name } };
    };
    const plan = decide({ ...at(changed(), "2026-03-01T12:00:00Z"), windows: [broken("a"), broken("b")] });
    expect(plan.decisions[0]?.reason).toContain(
      "A window that should allow it does not open: fleet/a: spec.duration: A window of zero length never opens; fleet/b: spec.duration: A window of zero length never opens. Raise the annotation hubrelay.dev/max-cost to let it go ahead.",
    );
    expect(outcomesOf(plan)[0]?.data.conditions).toMatchObject([{ reason: "CostExceedsMaximum" }]);
  });
});
