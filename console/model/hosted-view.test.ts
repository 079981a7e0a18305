import { describe, expect, test } from "vitest";
import { eventLabels } from "#functions/hosted-clusters/well-known-names.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { coverageLines } from "#shared/domain/issues/coverage.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Decision } from "#shared/domain/plan/plan.ts";
import { snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { hypershiftFinalizer } from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { release } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";
import { hostedView } from "./hosted-view.ts";

const byHypershift = { finalizers: [hypershiftFinalizer] };
const shop = aHostedCluster({ metadata: byHypershift });
const bank = aHostedCluster({ name: "bank", metadata: byHypershift });
const mirrors = aDigestMirrorSet("ocp", [release]);

function decided(verdicts: Readonly<Record<string, string>>, key = "clusters/shop") {
  const decisions = Object.entries(verdicts).map(
    ([about, verdict]): Decision => ({ subject: `${key} ${about}`.trim(), verdict, reason: "why" }),
  );
  return { function: "hosted-clusters", key, decisions, writes: [], issues: [], differs: false };
}

function anEvent(reason: string, type = "Warning", key = "clusters/shop"): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: reason, namespace: "clusters", labels: eventLabels(key) },
    type,
    reason,
    message: `${reason} in words`,
    firstTimestamp: "2026-03-01T02:00:00Z",
  };
}

const agreed = { ControlPlane: "in agreement", Overrides: "in agreement", Guest: "unknown" };

function view(
  query: Parameters<typeof hostedView>[1] = {},
  objects: readonly KubernetesObject[] = [shop, mirrors],
  verifications = [decided(agreed)],
) {
  return hostedView(snapshotOf(objects, { verifications }), query);
}

describe("hostedView", () => {
  test.for<
    Readonly<
      { what: string; verdicts?: Readonly<Record<string, string>>; events?: KubernetesObject[] } & {
        state: string;
      }
    >
  >([
    { what: "agrees but for its own API, which is not read", state: "compared in part" },
    { what: "differs since a moment", verdicts: { ...agreed, Overrides: "expected" }, state: "expected" },
    { what: "differs for long", verdicts: { ...agreed, ControlPlane: "drift" }, state: "drift" },
    { what: "differs in its guest, as reported", events: [anEvent("GuestDrift")], state: "drift" },
    {
      what: "is expected to change its guest",
      events: [anEvent("GuestExpected", "Normal")],
      state: "expected",
    },
    {
      what: "has no control plane",
      verdicts: { ControlPlane: "waiting", Overrides: "waiting" },
      state: "waiting",
    },
    { what: "is paused", verdicts: { "": "paused" }, state: "paused" },
    { what: "was not verified yet", verdicts: {}, state: "waiting" },
  ])(
    "When a hosted cluster $what, its state should be $state",
    ({ verdicts = agreed, events = [], state }) => {
      const { rows } = view({}, [shop, mirrors, ...events], [decided(verdicts)]);
      expect(rows.map((row) => [row.key, row.state, row.owner])).toEqual([
        ["clusters/shop", state, "HyperShift"],
      ]);
    },
  );

  test("When HyperShift has not seen a hosted cluster, hubrelay should be its owner", () => {
    const { rows } = view({}, [aHostedCluster({ name: "own" })], []);
    expect(rows.map(({ state, owner }) => [state, owner])).toEqual([["written by hubrelay", "hubrelay"]]);
  });

  test("When a hosted cluster has node pools, they should be shown with their nodes", () => {
    const metadata = { namespace: "clusters", name: "blue" };
    const nodePool = {
      ...{ apiVersion: kinds.NodePool.apiVersion, kind: "NodePool", metadata },
      spec: { clusterName: "shop", replicas: 3, management: { upgradeType: "InPlace" } },
    };
    expect(view({}, [shop, nodePool], []).rows).toMatchObject([
      { report: { nodePools: [{ name: "blue", nodes: 3, upgradeType: "InPlace" }] } },
    ]);
  });

  test("When hosted clusters are shown, the coverage should have what was not read of them", () => {
    expect(coverageLines(view({}, [shop, bank, aHostedCluster({ name: "own" }), mirrors]).coverage)).toEqual([
      "Not read: API of a hosted cluster (2), what hubrelay writes for a hosted cluster: not checked.",
    ]);
    expect(view({}, [mirrors], []).coverage.complete).toBe(true);
  });

  test("When one is named, its story should have overrides, version, decisions and reports", () => {
    const { panel } = view({ cluster: "clusters/shop" }, [
      shop,
      bank,
      mirrors,
      anEvent("CapabilityLeftover"),
      anEvent("GuestDrift", "Warning", "clusters/bank"),
    ]);
    expect(panel).toMatchObject({ key: "clusters/shop", version: "4.20.4" });
    expect(panel?.report.registryOverrides).toEqual({ [release.source]: release.mirrors });
    expect(panel?.reports).toEqual([
      {
        isWarning: true,
        reason: "CapabilityLeftover",
        message: "CapabilityLeftover in words",
        since: new Date("2026-03-01T02:00:00Z"),
      },
    ]);
    expect(panel?.decisions.find(({ subject }) => subject.endsWith("Guest"))?.reason).toContain(
      "reads no Secret",
    );
  });

  test.for([
    { query: { state: "drift" }, keys: ["clusters/bank"] },
    { query: { state: "compared in part" }, keys: ["clusters/shop"] },
    { query: { state: "paused" }, keys: [] },
    { query: { state: "nonsense" }, keys: ["clusters/bank", "clusters/shop"] },
  ])("When the address has $query, it should show $keys", ({ query, keys }) => {
    const verifications = [decided(agreed), decided({ ...agreed, Overrides: "drift" }, "clusters/bank")];
    expect(view(query, [shop, bank, mirrors], verifications).rows.map(({ key }) => key)).toEqual(keys);
  });

  test.for([
    { cluster: "clusters/gone", missing: "clusters/gone" },
    { cluster: "clusters/shop", missing: undefined },
    { cluster: undefined, missing: undefined },
  ])("When the address names $cluster, $missing should be missing", ({ cluster, missing }) => {
    expect(view({ cluster }).missing).toBe(missing);
  });

  test("When a hub has no HyperShift, it should show nothing", () => {
    expect(view({}, [mirrors], [])).toMatchObject({ total: 0, rows: [], counts: [], panel: undefined });
  });
});
