import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { aFleet, now, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { aReport, aWrittenConfig } from "../../test/support/console/written-objects.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";
import { activityView } from "./activity-view.ts";

const uid = "6f1c0000-0000-4000-8000-000000000000";
const id = `${uid}/42/update`;
const acme = { ...aDigestMirrorSet("acme", []), metadata: { name: "acme", uid, resourceVersion: "42" } };

const hub = [
  acme,
  aWrittenConfig("worker", id, "2026-03-01T02:10:00Z"),
  aWrittenConfig("master", undefined, "2026-03-01T02:00:00Z"),
  aReport(acme, "InvalidSource", id, "2026-03-01T02:11:00Z"),
];
const view = (query: Parameters<typeof activityView>[1] = {}, objects: readonly KubernetesObject[] = hub) =>
  activityView(snapshotOf(objects), query);
const linesIn = ({ groups }: ReturnType<typeof view>) => groups.flatMap(({ lines }) => lines);
const entriesIn = (shown: ReturnType<typeof view>) => linesIn(shown).map(({ entry }) => entry);
const namesOf = (shown: ReturnType<typeof view>) =>
  entriesIn(shown).map(({ what, object }) => `${what} ${object}`);

const [worker, master] = ["99-worker-generated-registries", "99-master-generated-registries"];

describe("activityView", () => {
  test("When functions have written, outcomes and reports should be listed, the newest first", () => {
    expect(entriesIn(view())).toMatchObject([
      {
        what: "InvalidSource",
        kind: "ImageDigestMirrorSet",
        object: "acme",
        isWarning: true,
        source: "report",
      },
      { what: "rendered", kind: "MachineConfig", object: worker, isWarning: false, source: "outcome" },
      { what: "rendered", kind: "MachineConfig", object: master, correlationId: undefined },
    ]);
  });

  test("When one change led to much, it should be one group, with what says the same of several objects in one line", () => {
    const other = aWrittenConfig("infra", id, "2026-03-01T02:10:01Z");
    const { groups, found, shown } = view({}, [...hub, other]);
    expect(
      groups.map(({ start, about, lines }) => [start?.object ?? about, ...lines.map((one) => one.count)]),
    ).toEqual([
      ["ImageDigestMirrorSet/acme", 1, 2],
      [`MachineConfig/${master}`, 1],
    ]);
    expect(groups[0]?.lines[1]?.objects).toEqual(["99-infra-generated-registries", worker]);
    expect([found, shown]).toEqual([4, 4]);
  });

  test("When a fleet ends without a known change, its clusters should be counted, and a few named", () => {
    const names = Array.from({ length: 40 }, (_, index) => `sno${index}`);
    const fleet = aFleet(
      Object.fromEntries(names.map((name) => [name, { state: "Succeeded", since: "2026-03-01T02:20:00Z" }])),
    );
    const [line, ...others] = linesIn(view({}, fleet));
    expect([line?.count, line?.objects.length, others.length]).toEqual([40, 3, 0]);
  });

  test.for([
    { query: { object: "acme" }, names: ["InvalidSource acme"] },
    { query: { object: " master " }, names: [`rendered ${master}`] },
    { query: { kind: "MachineConfig" }, names: [`rendered ${worker}`, `rendered ${master}`] },
    { query: { function: "mirror-config", kind: "ImageDigestMirrorSet" }, names: ["InvalidSource acme"] },
    { query: { function: "hosted-clusters" }, names: [] },
  ])("When the address has $query, it should show $names", ({ query, names }) => {
    expect(namesOf(view(query))).toEqual(names);
  });

  test("When a kind is chosen, the other kinds should still be offered, with their numbers", () => {
    expect(view({ kind: "MachineConfig" })).toMatchObject({
      found: 2,
      total: 3,
      kinds: [
        { value: "ImageDigestMirrorSet", count: 1 },
        { value: "MachineConfig", count: 2 },
      ],
      functions: [{ value: "mirror-config", count: 2 }],
    });
  });

  test("When a change is named, its chain should lead from it to every write, with what is decided now", () => {
    const decisions = [
      { subject: worker, verdict: "unchanged", reason: "it matches" },
      { subject: master, verdict: "held", reason: "it costs" },
    ];
    const verification = {
      function: "mirror-config",
      key: "cluster",
      decisions,
      writes: [],
      issues: [],
      differs: false,
    };
    const { chain } = activityView(snapshotOf(hub, { verifications: [verification] }), { chain: id });
    expect(chain?.start).toEqual({
      object: "ImageDigestMirrorSet/acme",
      verb: "update",
      resourceVersion: "42",
    });
    expect(
      chain?.writes.map(({ object, isReport, entries }) => [
        object.split("/")[0],
        isReport,
        ...entries.map(({ what }) => what),
      ]),
    ).toEqual([
      ["MachineConfig", false, "rendered"],
      ["ImageDigestMirrorSet", true, "InvalidSource"],
    ]);
    expect(chain?.writes[0]?.entries[0]?.data).toEqual({ pool: "worker" });
    expect(chain?.decisions.map(({ subject }) => subject)).toEqual([worker]);
    expect(chain?.logs).toEqual([
      `kubectl -n hubrelay logs -l app.kubernetes.io/name=hubrelay-mirror-config --prefix --tail=-1 | grep '"correlationId":"${id}"'`,
    ]);
  });

  test.for([
    { what: "an object that is gone", chain: `${uid}/42/update`, objects: hub.slice(1), verb: "update" },
    {
      what: "Knative's id",
      chain: uid,
      objects: [acme, aReport(acme, "Held", uid, "2026-03-01T02:11:00Z")],
      verb: undefined,
    },
  ])("When a chain begins with $what, its start should name no object", ({ chain, objects, verb }) => {
    const { start } = view({ chain }, objects).chain ?? {};
    expect(start).toMatchObject({ object: undefined, verb });
  });

  test("When the hub keeps nothing of a change, it should say so", () => {
    expect(view({ chain: "other" })).toMatchObject({ missing: "other", chain: undefined });
    expect(view({ chain: id }).missing).toBeUndefined();
  });

  test("When clusters have ended and a window has opened, they should be listed from their statuses", () => {
    const fleet = aFleet({
      sno1: { state: "Succeeded", since: "2026-03-01T02:20:00Z" },
      sno2: {
        state: "UnrecoverableError",
        reason: "PullFailed",
        message: "denied",
        since: "2026-03-01T02:25:00Z",
      },
      sno3: {},
    });
    const open = { ...windowObject({}), status: { open: true, changedAt: "2026-03-01T02:00:00Z" } };
    expect(entriesIn(view({}, [...fleet, open]))).toMatchObject([
      { what: "cluster-failed", object: "sno2", text: "PullFailed: denied", isWarning: true },
      { what: "cluster-succeeded", object: "sno1", written: "ClusterGroupUpgrade/default/upgrade" },
      { what: "opened", object: "fleet/night", function: "maintenance-window" },
    ]);
  });

  test("When an Event is about a name with a credential, it should be redacted before its namespace joins it", () => {
    const report = aReport(acme, "Refused", id, now.toISOString());
    const name = "shop,password: |\n  first line\n  hunter2\n";
    const involvedObject = { kind: "HostedCluster", namespace: "clusters", name };
    const [entry] = entriesIn(view({}, [{ ...report, involvedObject }]));
    expect(entry?.object).toBe("clusters/a text of 40 characters");
    expect(entry?.object).not.toContain("hunter2");
  });

  test("When a status or an annotation is nonsense, it should be left out", () => {
    const annotations = { "hubrelay.dev/outcomes": '[{"id":1},{"time":"x"}]' };
    const config = {
      ...aWrittenConfig("worker", id, now.toISOString()),
      metadata: { name: worker, annotations },
    };
    const open = { ...windowObject({}), status: { open: "yes", changedAt: "soon" } };
    expect(view({}, [config, open])).toMatchObject({ total: 0, groups: [] });
  });
});
