import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { storedConditions } from "#shared/domain/precache/conditions.ts";
import { graphLookup } from "#shared/domain/precache/plan/graph-questions.ts";
import { isOver } from "#shared/domain/precache/plan/plan-all.ts";
import type { PlanInput } from "#shared/domain/precache/plan/plan-input.ts";
import { configReferenceOf } from "#shared/domain/precache/plan/pre-caching-config.ts";
import { asksForPrecaching, talmLeaseName } from "#shared/domain/precache/plan/precaching-owner.ts";
import { readUpgradeSpec } from "#shared/domain/precache/plan/upgrade-spec.ts";
import { windowAnnotation } from "#shared/domain/windows/gate.ts";
import type { Beyond } from "#shared/ports/beyond.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Hint } from "#shared/shell/reaction.ts";
import { askGraphs } from "./ask-graphs.ts";
import { configKeyPrefix } from "./interest.ts";
import { planningConditions } from "./planned-status.ts";
import { readPlanInput } from "./read-input.ts";
import { reportLabels } from "./report.ts";

/** The hub as one reconcile sees it: a ClusterGroupUpgrade with all that its plan is made from. */
export type UpgradeSnapshot = Readonly<{
  about: "upgrade";
  now: Date;
  hubId: string;
  key: string;
  cgu: KubernetesObject | undefined;
  /** The Kubernetes Events that this function has written about it. */
  reports: readonly KubernetesObject[];
  /** Those of TALM's name: whether it runs. */
  leases: readonly KubernetesObject[];
  /** Only the status has changed since it was planned: the Events about it were not read. */
  isStatusChange: boolean;
  /** Undefined where nothing is planned: nobody asks for it, it is over, or only its status has changed. */
  input: PlanInput | undefined;
  /** The MaintenanceWindows, where it or its PreCachingConfig names some. */
  windows: readonly KubernetesObject[];
}>;

/** The ClusterGroupUpgrades that name a PreCachingConfig which has changed. */
export type ConfigSnapshot = Readonly<{
  about: "config";
  hubId: string;
  upgrades: readonly KubernetesObject[];
}>;

export type Snapshot = UpgradeSnapshot | ConfigSnapshot;

/** True when its conditions tell the plan of the present generation: then a change is one of the status. */
function isPlanned({ metadata, status }: KubernetesObject): boolean {
  const own = storedConditions(status).filter(({ type }) => planningConditions.has(String(type)));
  return own.some(({ observedGeneration }) => observedGeneration === metadata.generation);
}

/** Following writes the status of a fleet once a second: that alone is no reason to read a fleet. */
function isStatusChange(cgu: KubernetesObject, hints: readonly Hint[] | undefined): boolean {
  const isUpdate = ({ verb, reference }: Hint) =>
    verb === "update" && isKind(kinds.ClusterGroupUpgrade, reference);
  return (hints?.length ?? 0) > 0 && hints?.every(isUpdate) === true && isPlanned(cgu);
}

async function observeConfig(hub: HubReader, key: string): Promise<ConfigSnapshot> {
  const [namespace, name] = key.slice(configKeyPrefix.length).split("/");
  const upgrades = (await hub.list(kinds.ClusterGroupUpgrade)).filter((cgu) => {
    const reference = configReferenceOf(cgu, readUpgradeSpec(cgu).preCachingConfigRef);
    return reference?.namespace === namespace && reference?.name === name;
  });
  return { about: "config", hubId: hub.id, upgrades };
}

/**
 * Reads the ClusterGroupUpgrade and the Events about it, which may be written, and then what the plan is made from.
 * Where nothing is to be planned the rest is not read.
 */
export async function observe(
  hub: HubReader,
  key: string,
  now: Date,
  { updateGraph }: Pick<Beyond, "updateGraph">,
  hints: readonly Hint[] | undefined,
): Promise<Snapshot> {
  if (key.startsWith(configKeyPrefix)) return observeConfig(hub, key);
  const [namespace = "", name = ""] = key.split("/");
  const cgu = await hub.get(kinds.ClusterGroupUpgrade, name, namespace);
  const statusChanged = cgu !== undefined && isStatusChange(cgu, hints);
  const base = { about: "upgrade", now, hubId: hub.id, key, cgu, isStatusChange: statusChanged } as const;
  if (statusChanged) return { ...base, reports: [], leases: [], input: undefined, windows: [] };
  const reports = await hub.list(kinds.Event, { labels: reportLabels(key) });
  if (!cgu || isOver(cgu) || !asksForPrecaching(cgu))
    return { ...base, reports, leases: [], input: undefined, windows: [] };

  const leases = await hub.list(kinds.Lease, { name: talmLeaseName });
  const found = await readPlanInput(hub, cgu);
  const answers = await askGraphs(found, { isAskedFor: true }, updateGraph);
  const namers = [cgu, ...found.preCachingConfigs];
  const isNaming = namers.some(({ metadata }) => metadata.annotations?.[windowAnnotation]);
  const windows = isNaming ? await hub.list(kinds.MaintenanceWindow) : [];
  return { ...base, reports, leases, input: { ...found, lookup: graphLookup(answers) }, windows };
}
