import { beforeEach, expect } from "vitest";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { type MemoryHub, memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { applyPlan } from "#shared/runtime/apply-plan.ts";
import { createObject } from "../hub/create-object.ts";
import { aManagedCluster, aPolicy, aWantedRelease } from "./precache-plan-objects.ts";
import { reportsOf } from "./precache-reports.ts";
import { precachingPorts } from "./precaching-ports.ts";

export const now = new Date("2026-03-01T02:00:00Z");

/** The objects that planning the ClusterGroupUpgrade `ztp/upgrade` needs: its policy and its two clusters. */
export const base = [
  aPolicy("platform", [aWantedRelease()]),
  aManagedCluster("sno1"),
  aManagedCluster("sno2"),
];

/** The annotation that requests pre-caching from hubrelay instead of TALM. */
export const annotated = { "hubrelay.dev/precaching": "true" };

/** The Lease that a running TALM renews. */
export const talmLease = (renewTime = "2026-03-01T01:59:55.000000Z"): KubernetesObject => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "9a2365a3.openshift.io", namespace: "openshift-operators" },
  spec: { holderIdentity: "talm-0", renewTime, leaseDurationSeconds: 15 },
});

export const issuesOf = ({ issues }: Plan) => issues.map(({ code }) => code);

/** A new hub for each test of the calling file, and planning of `ztp/upgrade` on it. */
export function planningHub() {
  let hub: MemoryHub;
  beforeEach(() => {
    hub = memoryHub({ id: "urn:test:hub", now: () => now });
  });

  const planOnce = (at = now, external = precachingPorts, clockAheadSeconds = 0) =>
    precachePlan.plan({
      hub,
      key: "ztp/upgrade",
      now: at,
      clockAheadSeconds: () => clockAheadSeconds,
      external,
    });
  const cgu = async (): Promise<KubernetesObject> => {
    const found = await hub.get(kinds.ClusterGroupUpgrade, "upgrade", "ztp");
    if (!found) throw new Error("the ClusterGroupUpgrade is gone");
    return found;
  };
  const apply = (plan: Plan) =>
    applyPlan({ ...plan, sends: [] }, "ztp/upgrade", { hub, external: {}, log: () => undefined });
  return {
    /** The hub of the running test. */
    get hub(): MemoryHub {
      return hub;
    },
    planOnce,
    cgu,
    apply,
    /** Puts objects on the hub, which sets its own fields. */
    async given(...objects: readonly KubernetesObject[]): Promise<void> {
      for (const object of objects) await createObject(hub, object);
    },
    /** Plans until nothing is left to do, as the function does; returns the first plan. */
    async settle(external = precachingPorts): Promise<Plan> {
      const plan = await planOnce(now, external);
      await apply(plan);
      const again = await planOnce(now, external);
      expect({ actions: again.actions, sends: again.sends ?? [] }).toEqual({ actions: [], sends: [] });
      return plan;
    },
    async conditionsOf(): Promise<readonly string[]> {
      const { conditions } = Object((await cgu()).status);
      return (conditions as Record<string, string>[]).map(
        ({ type, status, reason }) => `${type} ${status} ${reason}`,
      );
    },
    /** What precache-status writes: states of clusters and the condition about them. */
    async following(
      states: Readonly<Record<string, string>>,
      status = "True",
      reason = "PrecachingCompleted",
    ): Promise<void> {
      const object = await cgu();
      const fields = Object(object.status);
      const others = fields.conditions.filter(({ type }: { type: string }) => type !== "PrecachingSuceeded");
      const written = await hub.updateStatus({
        ...object,
        status: {
          ...fields,
          conditions: [...others, { type: "PrecachingSuceeded", status, reason, message: "m" }],
          precaching: { ...fields.precaching, status: states },
        },
      });
      for (const report of reportsOf(written)) await hub.create(report);
    },
  };
}
