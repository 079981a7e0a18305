import {
  displayName,
  type KubernetesObject,
  kinds,
  namespacedName,
} from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { refusedFileIssue } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import { tryLoadRegistries } from "#shared/domain/mirrors/registries-conf/load-registries.ts";
import { poolFiles } from "#shared/domain/openshift/machine-config/pool-files.ts";
import { operatorForm } from "#shared/domain/openshift/releases/machine-config-operator.ts";
import {
  architectureOf,
  labelsByCluster,
  plannedUpgrade,
} from "#shared/domain/precache-model/planned-upgrade.ts";
import { configsOf } from "#shared/domain/precache-model/upgrade-spec.ts";
import { requiresReady } from "#shared/domain/precache-start/limits.ts";
import { type AccessEnd, accessEnds } from "#shared/domain/ready/access-ends.ts";
import type { ReadyStatus } from "#shared/domain/ready/judge.ts";
import { imageRoutes } from "#shared/domain/ready/locations.ts";
import { wantedSince } from "#shared/domain/ready/record/image-record.ts";
import { readReadiness } from "#shared/domain/ready/record/readiness-report.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { openingFinder } from "#shared/domain/windows/gate.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { clusterAccess } from "#shared/registry/registry-access.ts";
import type { ReconcileRequest } from "#shared/runtime/controller.ts";
import { observeNodeFiles } from "../mirror-config/observe.ts";
import { mirrorKinds } from "../mirror-config/watches.ts";
import { type Asked, askRegistries, type NodeRules, nothingAsked } from "./ask-registries.ts";
import { eventLabels } from "./event-source.ts";
import type { RequiredUpgrade } from "./read-content.ts";

/** The upgrades that require ready images, and what registries report about these images. */
export type Snapshot = Asked &
  Readonly<{
    now: Date;
    hubId: string;
    reports: readonly KubernetesObject[];
    objectEvents: readonly KubernetesObject[];
    /** The times at which nodes lose access to registries. Certificates that this process has not seen are missing. */
    accessEnds: readonly AccessEnd[];
    /** Statuses that say nothing about an image, such as `unauthorized` if hubrelay cannot read the pull secret. */
    notAsked: ReadonlySet<ReadyStatus>;
  }>;

async function requiredUpgrades(hub: HubReader, now: Date): Promise<readonly RequiredUpgrade[]> {
  const [cgus, configs] = await Promise.all([
    hub.list(kinds.ClusterGroupUpgrade),
    hub.list(kinds.PreCachingConfig),
  ]);
  const required = cgus.flatMap((cgu) => {
    const upgrade = "deletionTimestamp" in cgu.metadata ? undefined : plannedUpgrade(cgu);
    const annotated = [cgu, ...configsOf(cgu, configs)];
    if (!upgrade || upgrade.isOver || !requiresReady(annotated).required) return [];
    return [{ cgu, upgrade, annotated }];
  });
  if (required.length === 0) return [];
  const [windows, managedClusters] = await Promise.all([
    hub.list(kinds.MaintenanceWindow),
    hub.list(kinds.ManagedCluster),
  ]);
  const labelsOf = labelsByCluster(managedClusters);
  const nextOpening = openingFinder(windows, now);
  return required.map(({ cgu, upgrade, annotated }) => {
    const { clusters, content: spec, revision } = upgrade;
    const architectures = new Set(clusters.map((cluster) => architectureOf(labelsOf(cluster))));
    const openings = new Set(
      clusters.flatMap((cluster) => nextOpening(annotated, labelsOf(cluster))?.getTime() ?? []),
    );
    const opening = openings.size > 0 ? new Date(Math.min(...openings)) : undefined;
    return {
      cgu,
      spec,
      revision,
      architectures: [...architectures].sort(),
      since: wantedSince(now, opening),
    };
  });
}

async function observeRules(hub: HubReader): Promise<NodeRules> {
  const [machineConfigs, image, clusterVersion, ...objects] = await Promise.all([
    observeNodeFiles(hub),
    hub.get(kinds.Image, "cluster"),
    hub.get(kinds.ClusterVersion, "version"),
    ...mirrorKinds.map((kind) => hub.list(kind)),
  ]);
  const rendered = configureMirrors({
    objects: objects.flat(),
    ...(image ? { image } : {}),
    ...(clusterVersion ? { clusterVersion } : {}),
  });
  if (rendered.refused)
    return { obstacle: "the mirror objects are refused, so that the rules of nodes are not known" };
  const form = operatorForm(rendered.releases.current);
  const { files } = poolFiles({ name: "worker" }, machineConfigs, rendered.files, form);
  const registries = tryLoadRegistries(files);
  if (!("problem" in registries)) return { routeOf: imageRoutes(files) };
  const { message, object } = refusedFileIssue(registries);
  return { obstacle: sentence`${displayName(object)}: ${message.replace(/\.$/, "")}` };
}

/** Reads the objects that may be written, then the other objects, and queries registries last. */
export async function observe({
  hub,
  now,
  external: { freshRegistry },
}: ReconcileRequest<"freshRegistry">): Promise<Snapshot> {
  const [reports, objectEvents] = await Promise.all([
    hub.list(kinds.ReadinessReport),
    hub.list(kinds.Event, { labels: eventLabels }),
  ]);
  const base = { now, hubId: hub.id, reports, objectEvents };
  const upgrades = await requiredUpgrades(hub, now);
  if (upgrades.length === 0) return { ...base, ...nothingAsked, accessEnds: [], notAsked: new Set() };

  const [rules, { access, unreadAuthorities }] = await Promise.all([observeRules(hub), clusterAccess(hub)]);
  const stored = new Map(reports.map((report) => [namespacedName(report.metadata), readReadiness(report)]));
  const asked = await askRegistries({
    upgrades,
    stored,
    rules,
    registry: freshRegistry,
    access,
    now,
  });
  const notAsked = new Set<ReadyStatus>(["unreachable", "unknown"]);
  if (access.pullSecret === undefined) notAsked.add("unauthorized");
  if (unreadAuthorities !== undefined) notAsked.add("untrusted");
  return {
    ...base,
    ...asked,
    accessEnds: accessEnds(access, freshRegistry.certificates ?? new Map()),
    notAsked,
  };
}
