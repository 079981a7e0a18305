import { describe, expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import {
  aControlPlaneOperator,
  aHostedControlPlane,
  hypershiftFinalizer,
} from "../../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  afterwards,
  aGuest,
  aVerified,
  now,
  reportOf,
  stored,
  withControlPlane,
} from "../../../test/support/hosted-clusters/hosted-cluster-snapshots.ts";
import { guestVersion, pair, sources } from "../../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { outcomesOf } from "../../../test/support/messages/outcomes-of.ts";
import { decide } from "../decide.ts";

const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

/** What a plan does with Events, besides recording in one what it was derived from. */
const reported = ({ actions }: Plan): readonly string[] =>
  actions
    .map(({ verb, object }) => `${verb} ${object.reason}`)
    .filter((action) => action !== "update RegistryMirrors");

describe("what HyperShift is expected to write", () => {
  test.for([
    {
      about: "ControlPlane",
      seconds: 90,
      snapshot: () =>
        withControlPlane(aVerified(), {
          hostedControlPlane: stored(aHostedControlPlane("shop", { imageContentSources: sources })),
        }),
      message:
        "HyperShift's operator has not written since 2026-03-01T02:00:00Z: spec.imageContentSources differs in the HostedControlPlane. Check the condition ReconciliationSucceeded and the operator's log.",
    },
    {
      about: "Overrides",
      seconds: 900,
      snapshot: () => withControlPlane(aVerified(), { operator: stored(aControlPlaneOperator("shop", "=")) }),
      message: `HyperShift's operator has not written since 2026-03-01T02:00:00Z: The Deployment control-plane-operator lacks the mirror ${pair}. It reads mirrors only when it reconciles a HostedCluster, within ten hours: any change to this one, such as an annotation, triggers that.`,
    },
    {
      about: "Guest",
      seconds: 300,
      snapshot: () => aVerified({ guest: aGuest({ clusterVersion: guestVersion }) }),
      message:
        "HyperShift's hosted-cluster-config-operator has not written since 2026-03-01T02:00:00Z: ClusterVersion does not enable Build, Console. Check its log in the namespace of the control plane.",
    },
  ])(
    "When $about is not written within $seconds s, it should be drift, reported once",
    ({ about, seconds, snapshot, message }) => {
      const first = snapshot();
      const hub = afterwards(first, decide(first));
      const waiting = decide({ ...hub, now: later(seconds - 1) });
      expect(waiting).toMatchObject({ actions: [], requeueAt: later(seconds) });
      const due = { ...hub, now: later(seconds) };
      const plan = decide(due);
      expect(reportOf(plan).filter((line) => line.includes("Event") || line.startsWith("outcome"))).toEqual([
        `create Event Warning ${about}Drift: ${message}`,
        "outcome drift",
      ]);
      const [decision] = plan.decisions.filter(({ subject }) => subject.endsWith(about));
      expect(decision).toMatchObject({ verdict: "drift", owner: expect.stringContaining("HyperShift's") });
      expect(decision?.differences).toHaveLength(1);
      expect(message).toContain(decision?.reason);
      expect(decide(first).decisions.find(({ subject }) => subject.endsWith(about))).toMatchObject({
        verdict: "expected",
        differences: decision?.differences,
      });
      expect(outcomesOf(plan)[0]?.data).toMatchObject({
        about,
        since: "2026-03-01T02:00:00.000Z",
        owner: decision?.owner,
        differences: decision?.differences,
        differenceCount: 1,
      });
      expect(plan.requeueAt).toBeUndefined();
      expect(reported(decide({ ...afterwards(due, plan), now: later(100_000) }))).toEqual([]);
      const fixed = { ...aVerified(), objectEvents: afterwards(due, plan).objectEvents, now: later(seconds) };
      expect(reported(decide(fixed)).toSorted()).toEqual([`delete ${about}Drift`, `delete ${about}Expected`]);
    },
  );

  test.for([
    ["no capabilities", { capabilities: {} }, { capabilities: undefined }],
    ["no placement", {}, { olmCatalogPlacement: undefined }],
    ["no sources", { imageContentSources: [] }, {}],
    [
      "no empty list",
      { capabilities: { enabled: [], disabled: ["Insights"] } },
      { capabilities: { disabled: ["Insights"] } },
    ],
    [
      "no empty list of mirrors",
      { imageContentSources: [{ source: "quay.io/acme", mirrors: [] }] },
      { imageContentSources: [{ source: "quay.io/acme" }] },
    ],
  ] as const)("When HyperShift has written %s, it should equal the default", ([, spec, copied]) => {
    const hostedCluster = stored(aHostedCluster({ metadata: { finalizers: [hypershiftFinalizer] }, spec }));
    const hub = withControlPlane(aVerified({ hostedCluster }), {
      hostedControlPlane: stored(aHostedControlPlane("shop", copied)),
    });
    expect(decide(hub).decisions[0]).toMatchObject({
      subject: "clusters/shop ControlPlane",
      verdict: "in agreement",
    });
  });

  test("When several parts are expected, the earliest deadline should be the next reconcile", () => {
    const hub = withControlPlane(aVerified({ guest: aGuest({ clusterVersion: guestVersion }) }), {
      operator: stored(aControlPlaneOperator("shop", "=")),
    });
    expect(decide(hub).requeueAt).toEqual(later(300));
  });
});
