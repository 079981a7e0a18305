import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { type KubernetesObject, parseNamespacedName } from "#shared/domain/kubernetes/object.ts";
import { graphLookup } from "#shared/domain/precache/plan/graph-queries.ts";
import { isOver } from "#shared/domain/precache/plan/plan-all.ts";
import type { PlanInput } from "#shared/domain/precache/plan/plan-input.ts";
import {
  asksForPrecaching,
  precachingOwner,
  talmLeaseName,
} from "#shared/domain/precache/plan/precaching-owner.ts";
import type { Profile } from "#shared/domain/precache/plan/values/precaching-values.ts";
import { isToHandBack } from "#shared/domain/precache/rollout/hand-back.ts";
import { isHandedBackInWindow } from "#shared/domain/precache/rollout/hand-back-annotation.ts";
import { noWindows, type WindowSources } from "#shared/domain/precache/slots/held-back.ts";
import { cguLabels } from "#shared/domain/precache/work/work-identity.ts";
import { windowAnnotation } from "#shared/domain/windows/window-names.ts";
import type { ReconcileRequest } from "#shared/runtime/controller.ts";
import { eventLabels } from "./event-source.ts";
import { queryGraphs, readPlanInput } from "./read-input.ts";

/** A ClusterGroupUpgrade with everything that its plan depends on. */
export type Snapshot = Readonly<{
  now: Date;
  hubId: string;
  key: string;
  cgu: KubernetesObject | undefined;
  /** The Events that this function has written about it. */
  objectEvents: readonly KubernetesObject[];
  /** Its PreCachingReports, read when the rollout may begin. */
  reports: readonly KubernetesObject[];
  /** The Leases with TALM's name: whether TALM runs. */
  leases: readonly KubernetesObject[];
  /**
   * Empty when another program pre-caches. Undefined when nothing is planned: pre-caching is not requested, or
   * the upgrade is over.
   */
  input: PlanInput | undefined;
  /** Which values of the policies may be overridden, and which index images may be pre-cached. */
  profile: Profile;
  indexRepositories: readonly string[];
  /** The workload image of the deployment. */
  workloadImage: string;
  /** Read when it or its PreCachingConfig names windows, or its rollout waits for some. */
  rollout: WindowSources;
}>;

function emptyInput(cgu: KubernetesObject): Omit<PlanInput, "lookup"> {
  return {
    cgu,
    managedClusters: [],
    nodes: new Map(),
    policies: [],
    preCachingConfigs: [],
    configMaps: [],
    upgrades: [],
    placements: [],
    hubVersion: undefined,
  };
}

/**
 * Reads the ClusterGroupUpgrade and its Events, because they may be written, and then what the plan depends on. The
 * rest is not read when nothing is to be planned.
 */
export async function observe({
  hub,
  key,
  now,
  external: { updateGraph, planning },
}: ReconcileRequest<"updateGraph" | "planning">): Promise<Snapshot> {
  const { profile, indexRepositories, hubVersion, workloadImage } = planning;
  const { namespace, name } = parseNamespacedName(key);
  const cgu = await hub.get(kinds.ClusterGroupUpgrade, name, namespace);
  const base = { profile, indexRepositories, workloadImage, now, hubId: hub.id, key, cgu };
  const objectEvents = await hub.list(kinds.Event, { labels: eventLabels(key) });
  if (!cgu || isOver(cgu) || !asksForPrecaching(cgu))
    return { ...base, objectEvents, reports: [], leases: [], input: undefined, rollout: noWindows };

  const leases = await hub.list(kinds.Lease, { name: talmLeaseName });
  const isOwn = precachingOwner(cgu, leases, now).by === "hubrelay";
  const read = isOwn ? await readPlanInput(hub, cgu) : emptyInput(cgu);
  const found = { ...read, hubVersion: hubVersion ?? read.hubVersion };
  const responses = isOwn ? await queryGraphs(found, { profile, indexRepositories }, updateGraph) : new Map();
  const annotatedObjects = [cgu, ...found.preCachingConfigs];
  const isNaming =
    isHandedBackInWindow(cgu) ||
    annotatedObjects.some(({ metadata }) => metadata.annotations?.[windowAnnotation]);
  const windows = isOwn && isNaming ? await hub.list(kinds.MaintenanceWindow) : [];
  const { preCachingConfigs: configs, managedClusters } = found;
  const rollout = { windows, configs, managedClusters };
  const labels = cguLabels({ namespace, name });
  const reports =
    isOwn && isToHandBack(cgu) ? await hub.list(kinds.PreCachingReport, { namespace, labels }) : [];
  return {
    ...base,
    objectEvents,
    reports,
    leases,
    input: { ...found, lookup: graphLookup(responses) },
    rollout,
  };
}
