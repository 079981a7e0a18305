import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject, ObjectReference } from "#shared/domain/kubernetes/object.ts";
import { storedConditions } from "#shared/domain/precache/model/conditions.ts";
import { readUpgradeSpec } from "#shared/domain/precache/model/upgrade-spec.ts";
import { graphLookup } from "#shared/domain/precache/plan/graph-queries.ts";
import { isOver } from "#shared/domain/precache/plan/plan-all.ts";
import type { PlanInput } from "#shared/domain/precache/plan/plan-input.ts";
import {
  asksForPrecaching,
  precachingOwner,
  talmLeaseName,
} from "#shared/domain/precache/plan/precaching-owner.ts";
import { isMadeFrom } from "#shared/domain/precache/plan/sources.ts";
import type { Profile } from "#shared/domain/precache/plan/values/precaching-values.ts";
import { isToHandBack } from "#shared/domain/precache/rollout/hand-back.ts";
import {
  isHandedBackInWindow,
  rolloutNamesOf,
} from "#shared/domain/precache/rollout/hand-back-annotation.ts";
import type { RolloutSources } from "#shared/domain/precache/rollout/rollout-windows.ts";
import { needsLabels } from "#shared/domain/windows/gate.ts";
import { windowAnnotation } from "#shared/domain/windows/window-names.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { areAnnotationsChanged } from "#shared/runtime/annotation-changes.ts";
import type { Hint } from "#shared/runtime/controller.ts";
import { manyOfKind } from "#shared/runtime/source-changes.ts";
import { eventLabels } from "./event-source.ts";
import { planningConditions } from "./planned-status.ts";
import { queryGraphs } from "./query-graphs.ts";
import { readConfig, readManagedClusters, readPlanInput } from "./read-input.ts";
import { configKeyPrefix, sourcesKey } from "./watches.ts";

/** A ClusterGroupUpgrade with everything that its plan depends on. */
export type UpgradeSnapshot = Readonly<{
  about: "upgrade";
  now: Date;
  hubId: string;
  key: string;
  cgu: KubernetesObject | undefined;
  /** The Events that this function has written about it. */
  objectEvents: readonly KubernetesObject[];
  /** The Leases with TALM's name: whether TALM runs. */
  leases: readonly KubernetesObject[];
  /** Only the status has changed since it was planned: the Events about it were not read. */
  isStatusChange: boolean;
  /**
   * Empty when another program pre-caches. Undefined when nothing is planned: pre-caching is not requested, the
   * upgrade is over, or only its status has changed.
   */
  input: PlanInput | undefined;
  /** Which values of the policies may be overridden. */
  profile: Profile;
  /** The workload image of the deployment; undefined for hubrelay's default. */
  workloadImage: string | undefined;
  /** Read when it or its PreCachingConfig names windows, or its rollout waits for some. */
  rollout: RolloutSources;
}>;

/** The ClusterGroupUpgrades whose plans depend on objects that have changed. */
export type SourcesSnapshot = Readonly<{
  about: "sources";
  hubId: string;
  upgrades: readonly KubernetesObject[];
}>;

export type Snapshot = UpgradeSnapshot | SourcesSnapshot;

/** True when its conditions are about the current generation: then an update is one of the status. */
function isPlanned({ metadata, status }: KubernetesObject): boolean {
  const own = storedConditions(status).filter(({ type }) => planningConditions.has(String(type)));
  return own.some(({ observedGeneration }) => observedGeneration === metadata.generation);
}

/**
 * precache-status writes the status of a fleet once a second, which is no reason to plan it again. Annotations of
 * users are one, although they leave the generation unchanged.
 */
function isStatusChange(cgu: KubernetesObject, hints: readonly Hint[] | undefined): boolean {
  const isUpdate = (hint: Hint) =>
    hint.verb === "update" &&
    isKind(kinds.ClusterGroupUpgrade, hint.reference) &&
    !areAnnotationsChanged(hint);
  return (hints?.length ?? 0) > 0 && hints?.every(isUpdate) === true && isPlanned(cgu);
}

/** An object that plans depend on; `isMany`: others of its kind have changed with it. */
type Changed = Readonly<{ reference: ObjectReference; isMany: boolean }>;

/** Undefined when it is not known which sources have changed. */
function changedSources(key: string, hints: readonly Hint[] | undefined): readonly Changed[] | undefined {
  if (key === sourcesKey)
    return hints?.map(({ reference, feedback }) => ({
      reference,
      isMany: feedback?.many === manyOfKind.many,
    }));
  const [namespace = "", name = ""] = key.slice(configKeyPrefix.length).split("/");
  const { apiVersion, kind } = kinds.PreCachingConfig;
  return [{ reference: { apiVersion, kind, namespace, name }, isMany: false }];
}

async function observeSources(
  hub: HubReader,
  changed: readonly Changed[] | undefined,
): Promise<SourcesSnapshot> {
  const upgrades = (await hub.list(kinds.ClusterGroupUpgrade)).filter(
    (cgu) =>
      asksForPrecaching(cgu) &&
      !isOver(cgu) &&
      (changed?.some(({ reference, isMany }) => isMadeFrom(cgu, reference, isMany)) ?? true),
  );
  return { about: "sources", hubId: hub.id, upgrades };
}

const readWindows = (hub: HubReader) => hub.list(kinds.MaintenanceWindow);

const noRollout: RolloutSources = { windows: [], configs: [], managedClusters: [] };

/** Reads what a rollout that is to be handed back waits for, when only the status has changed. */
async function readRollout(hub: HubReader, cgu: KubernetesObject): Promise<RolloutSources> {
  if (!isToHandBack(cgu) || !isHandedBackInWindow(cgu)) return noRollout;
  const windows = await readWindows(hub);
  if (rolloutNamesOf(cgu) !== undefined) return { ...noRollout, windows };
  const upgrade = readUpgradeSpec(cgu);
  const config = await readConfig(hub, cgu, upgrade);
  const configs = config ? [config] : [];
  const isByLabels = needsLabels(windows, [cgu, ...configs]);
  return { windows, configs, managedClusters: isByLabels ? await readManagedClusters(hub, upgrade) : [] };
}

function emptyInput(cgu: KubernetesObject): Omit<PlanInput, "lookup"> {
  return {
    cgu,
    managedClusters: [],
    policies: [],
    preCachingConfigs: [],
    configMaps: [],
    hubVersion: undefined,
  };
}

/**
 * Reads the ClusterGroupUpgrade and its Events, because they may be written, and then what the plan depends on. The
 * rest is not read when nothing is to be planned.
 */
export async function observe(
  hub: HubReader,
  key: string,
  now: Date,
  { updateGraph, planning }: Pick<ExternalPorts, "updateGraph" | "planning">,
  hints: readonly Hint[] | undefined,
): Promise<Snapshot> {
  if (key === sourcesKey || key.startsWith(configKeyPrefix))
    return observeSources(hub, changedSources(key, hints));
  const { profile, hubVersion, workloadImage } = planning;
  const [namespace = "", name = ""] = key.split("/");
  const cgu = await hub.get(kinds.ClusterGroupUpgrade, name, namespace);
  const statusChanged = cgu !== undefined && isStatusChange(cgu, hints);
  const base = {
    about: "upgrade",
    profile,
    workloadImage,
    now,
    hubId: hub.id,
    key,
    cgu,
    isStatusChange: statusChanged,
  } as const;
  if (statusChanged)
    return { ...base, objectEvents: [], leases: [], input: undefined, rollout: await readRollout(hub, cgu) };
  const objectEvents = await hub.list(kinds.Event, { labels: eventLabels(key) });
  if (!cgu || isOver(cgu) || !asksForPrecaching(cgu))
    return { ...base, objectEvents, leases: [], input: undefined, rollout: noRollout };

  const leases = await hub.list(kinds.Lease, { name: talmLeaseName });
  const isOwn = precachingOwner(cgu, leases, now).by === "hubrelay";
  const read = isOwn ? await readPlanInput(hub, cgu) : emptyInput(cgu);
  const found = { ...read, hubVersion: hubVersion ?? read.hubVersion };
  const responses = isOwn ? await queryGraphs(found, { profile }, updateGraph) : new Map();
  const windowReferrers = [cgu, ...found.preCachingConfigs];
  const isNaming =
    isHandedBackInWindow(cgu) ||
    windowReferrers.some(({ metadata }) => metadata.annotations?.[windowAnnotation]);
  const windows = isOwn && isNaming ? await readWindows(hub) : [];
  const { preCachingConfigs: configs, managedClusters } = found;
  const rollout = { windows, configs, managedClusters };
  return { ...base, objectEvents, leases, input: { ...found, lookup: graphLookup(responses) }, rollout };
}
