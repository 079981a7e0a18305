import type { CheckedUpgrade } from "#functions/precache-ready/ask-registries.ts";
import { decide } from "#functions/precache-ready/decide.ts";
import type { Snapshot } from "#functions/precache-ready/observe.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { ReadyStatus } from "#shared/domain/ready/judge.ts";
import type { ImageRecord } from "#shared/domain/ready/record/image-record.ts";
import type { Content } from "#shared/domain/ready/record/readiness-report.ts";
import { applyPlan } from "#shared/runtime/apply-plan.ts";
import { aStoredUpgrade } from "../precache/precache-snapshots.ts";

export const now = new Date("2026-03-01T02:00:00Z");
export const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
export const names = ["quay.io/a@sha256:1", "quay.io/b@sha256:2"];

export const record = (status: ReadyStatus, at = now): ImageRecord => ({
  status,
  at: at.toISOString().replace(".000Z", "Z"),
  basis: "basis",
  ...(status === "ready" ? { from: "mirror.lan/a@sha256:1", digest: "sha256:1" } : {}),
});
export const content: Content = {
  revision: "0123456789",
  architectures: ["amd64"],
  images: names,
  problems: [],
  readAt: "2026-03-01T02:00:00Z",
};
export const cgu = aStoredUpgrade(["sno1"]);

export function checkedUpgrade(
  statuses: readonly (ReadyStatus | undefined)[],
  fields: Partial<Content> = {},
): CheckedUpgrade {
  const records = statuses.flatMap((status, index) =>
    status ? [[names[index] ?? "", record(status)] as const] : [],
  );
  return { cgu, content: { ...content, ...fields }, records: new Map(records) };
}

export function aWorld() {
  const hub = memoryHub({ id: "urn:test:hub", now: () => now });
  const snapshot = async (
    upgrades: readonly CheckedUpgrade[],
    fields: Partial<Snapshot> = {},
  ): Promise<Snapshot> => ({
    now,
    hubId: "urn:test:hub",
    reports: await hub.list(kinds.ReadinessReport),
    objectEvents: await hub.list(kinds.Event),
    upgrades,
    obstacle: undefined,
    isUnfinished: false,
    accessEnds: [],
    notAsked: new Set(["unreachable"]),
    ...fields,
  });
  return {
    hub,
    snapshot,
    async reconcile(upgrades: readonly CheckedUpgrade[], fields: Partial<Snapshot> = {}) {
      const plan = decide(await snapshot(upgrades, fields));
      const applied = await applyPlan(plan, "fleet", { hub, external: {}, log: () => undefined });
      return { plan, outcomes: applied.outcomes.map(({ type }) => type.split("precache.")[1]) };
    },
    async found() {
      const [report] = await hub.list(kinds.ReadinessReport);
      const events = await hub.list(kinds.Event);
      return { ready: report?.ready, reason: report?.reason, events: events.map(({ reason }) => reason) };
    },
  };
}
