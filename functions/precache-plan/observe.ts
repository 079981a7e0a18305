import { type KubernetesObject, kinds, parseNamespacedName } from "#shared/domain/kubernetes/object.ts";
import { cguLabels } from "#shared/domain/precache-model/work-identity.ts";
import { isOver } from "#shared/domain/precache-plan/plan-all.ts";
import type { PlanInput, PlanningSettings } from "#shared/domain/precache-plan/plan-input.ts";
import { graphLookup } from "#shared/domain/precache-plan/plan-precache.ts";
import {
  asksForPrecaching,
  precachingOwner,
  talmLeaseName,
} from "#shared/domain/precache-plan/precaching-owner.ts";
import { noWindows, type WindowSources } from "#shared/domain/precache-start/cluster-gates.ts";
import type { Clock } from "#shared/domain/windows/clock.ts";
import type { ReconcileRequest } from "#shared/runtime/controller.ts";
import { eventLabels } from "./event-source.ts";
import { queryGraphs, readPlanInput } from "./read-input.ts";

/** A ClusterGroupUpgrade, and what its plan is derived from. */
export type Snapshot = Readonly<{
  now: Date;
  clockAheadSeconds?: Clock["clockAheadSeconds"];
  hubId: string;
  key: string;
  cgu: KubernetesObject | undefined;
  objectEvents: readonly KubernetesObject[];
  reports: readonly KubernetesObject[];
  /** The Leases with TALM's name. They show whether TALM runs. */
  leases: readonly KubernetesObject[];
  /** The plan's input: empty if another program pre-caches, undefined if pre-caching is over or not requested. */
  input: PlanInput | undefined;
  planning: PlanningSettings;
  /** The objects that decide in which windows the rollout may start. */
  rollout: WindowSources;
}>;

const nothing = {
  reports: [],
  leases: [],
  input: undefined,
  rollout: noWindows,
} satisfies Partial<Snapshot>;

function emptyInput(cgu: KubernetesObject): Omit<PlanInput, "lookup"> {
  return {
    cgu,
    managedClusters: [],
    nodes: new Map(),
    policies: [],
    preCachingConfigs: [],
    configMaps: [],
    imageBasedUpgrades: [],
    hubVersion: undefined,
  };
}

/** Reads the upgrade and its Events, which may be written, before the other objects. */
export async function observe({
  hub,
  key,
  now,
  external: { updateGraph, planning },
}: ReconcileRequest<"updateGraph" | "planning">): Promise<Snapshot> {
  const { namespace, name } = parseNamespacedName(key);
  const cgu = await hub.get(kinds.ClusterGroupUpgrade, name, namespace);
  const base = { planning, now, hubId: hub.id, key, cgu };
  const objectEvents = await hub.list(kinds.Event, { labels: eventLabels(key) });
  if (!cgu || isOver(cgu) || !asksForPrecaching(cgu)) return { ...base, ...nothing, objectEvents };

  const leases = await hub.list(kinds.Lease, { name: talmLeaseName });
  const isOwn = precachingOwner(cgu, leases, now).by === "hubrelay";
  const read = isOwn ? await readPlanInput(hub, cgu) : emptyInput(cgu);
  const found = { ...read, hubVersion: planning.hubVersion ?? read.hubVersion };
  const responses = isOwn ? await queryGraphs(found, planning, updateGraph) : new Map();
  const labels = cguLabels({ namespace, name });
  const [windows, reports] = isOwn
    ? await Promise.all([
        hub.list(kinds.MaintenanceWindow),
        hub.list(kinds.PreCachingReport, { namespace, labels }),
      ])
    : [[], []];
  const { preCachingConfigs: configs, managedClusters } = found;
  const rollout = { windows, configs, managedClusters };
  return {
    ...base,
    objectEvents,
    reports,
    leases,
    input: { ...found, lookup: graphLookup(responses) },
    rollout,
  };
}
