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
const namesOf = ({ entries }: ReturnType<typeof view>) =>
  entries.map(({ what, object }) => `${what} ${object}`);

const [worker, master] = ["99-worker-generated-registries", "99-master-generated-registries"];

describe("activityView", () => {
  test("When functions have written, outcomes and reports should be listed, the newest first", () => {
    expect(view().entries).toMatchObject([
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

  test.for([
    { query: { object: "acme" }, names: ["InvalidSource acme"] },
    { query: { object: " master " }, names: [`rendered ${master}`] },
    { query: { kind: "MachineConfig" }, names: [`rendered ${worker}`, `rendered ${master}`] },
    { query: { function: "mirror-config", kind: "ImageDigestMirrorSet" }, names: ["InvalidSource acme"] },
    { query: { function: "hosted-clusters" }, names: [] },
    { query: { chain: id }, names: ["InvalidSource acme", `rendered ${worker}`] },
    { query: { chain: "other" }, names: [] },
  ])("When the address has $query, it should show $names", ({ query, names }) => {
    expect(namesOf(view(query))).toEqual(names);
  });

  test("When a change is chosen, there should be the command that finds its log entries", () => {
    expect(view({ chain: id }).logs).toBe(
      `kubectl -n hubrelay logs -l app.kubernetes.io/part-of=hubrelay --prefix --tail=-1 | grep '"correlationId":"${id}"'`,
    );
    expect(view({ chain: "other; reboot" }).logs).toBeUndefined();
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
    expect(view({}, [...fleet, open]).entries).toMatchObject([
      { what: "cluster-failed", object: "sno2", text: "PullFailed: denied", isWarning: true },
      { what: "cluster-succeeded", object: "sno1", written: "ClusterGroupUpgrade/default/upgrade" },
      { what: "opened", object: "fleet/night", function: "maintenance-window" },
    ]);
  });

  test("When an Event is about a name with a credential, it should be redacted before its namespace joins it", () => {
    const report = aReport(acme, "Refused", id, now.toISOString());
    const name = "shop,password: |\n  first line\n  hunter2\n";
    const involvedObject = { kind: "HostedCluster", namespace: "clusters", name };
    const [entry] = view({}, [{ ...report, involvedObject }]).entries;
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
    expect(view({}, [config, open])).toMatchObject({ total: 0, entries: [] });
  });
});
