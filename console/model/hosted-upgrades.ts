import {
  type HostedCluster,
  readHostedCluster,
} from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { repositoryOf } from "#shared/domain/hosted-clusters/cluster-images.ts";
import { publishedRepositories } from "#shared/domain/images/published-releases.ts";
import { errorsOf } from "#shared/domain/issues/issue.ts";
import { fieldsOf, objectsOf } from "#shared/domain/kubernetes/json/values.ts";
import { displayName, kinds, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { configurePool } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import { versionInTag } from "#shared/domain/openshift/releases/release.ts";
import { nodeRulesOf } from "#shared/domain/ready/hosted-rules.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { type HostedRow, hostedRows, isHeldReport } from "./hosted-view.ts";
import { type Place, placesByFiles } from "./mirrors/node-configuration.ts";
import type { Snapshot } from "./snapshot.ts";

/** Something on the hub that stands against an upgrade. */
export type Obstacle = Readonly<{ what: string; text: string; remedy?: string }>;

/** Where the nodes of a hosted cluster look for images of its release. */
export type ReleasePlaces = Readonly<{ repository: string; places: readonly Place[] }>;

/** A hosted cluster that is to run another release than it, or a pool of its nodes, runs. */
export type HostedUpgrade = Readonly<{
  key: string;
  /** What runs; undefined before a first release does. */
  from: string | undefined;
  /** The version, or the image of which the version is not known. */
  to: string;
  /** Pools whose nodes are still to change, with what they run. */
  pools: readonly Readonly<{ name: string; from: string; to: string }>[];
  obstacles: readonly Obstacle[];
  releasePlaces: readonly ReleasePlaces[];
}>;

/** Hosted clusters that are to run another release: how many, and the first of them. */
export type HostedUpgrades = Readonly<{ total: number; shown: readonly HostedUpgrade[] }>;

/** Where nodes look takes milliseconds for each cluster, and a new release may be for thousands. */
const maxShown = 100;

/** Reports whether the release that a hosted cluster should run is the one of its newest completed update. */
function isReached({ object, releaseImage, reachedVersion }: HostedCluster): boolean {
  const version = versionInTag(releaseImage);
  if (version !== undefined) return version === reachedVersion;
  const history = objectsOf(fieldsOf(fieldsOf(object.status).version).history);
  return history.find(({ state }) => state === "Completed")?.image === releaseImage;
}

/** What was decided about the API of the hosted cluster is not known, and so stands against nothing. */
const standsAgainst: ReadonlySet<string> = new Set(["drift", "held", "expected"]);

function obstaclesOf({ key, report, held, decisions, reports }: HostedRow): readonly Obstacle[] {
  const errors = errorsOf(report.issues).map(({ object, code, message, remedy }) => ({
    what: code,
    text: sentence`${displayName(object)}: ${message}`,
    remedy,
  }));
  const decided = decisions
    .filter(({ verdict }) => standsAgainst.has(verdict))
    .map(({ subject, verdict, reason }) => ({
      what: verdict,
      text: `${subject.startsWith(`${key} `) ? `${subject.slice(key.length + 1)}: ` : ""}${reason}`,
    }));
  // The reports repeat what is decided here, and have what only the function sees: the hosted cluster's own API.
  const reported = reports
    .filter(
      ({ isWarning, reason }) =>
        isWarning && !isHeldReport(reason) && !/^(?:ControlPlane|Overrides)/.test(reason),
    )
    .map(({ reason, message }) => ({ what: reason, text: message }));
  const isDecidedHeld = decided.some(({ what }) => what === "held");
  const waits =
    held && !isDecidedHeld ? [{ what: "held", text: `costs ${held.cost}: ${held.rule.text}` }] : [];
  return [...errors, ...decided, ...waits, ...reported];
}

const anyDigest = `sha256:${"0".repeat(64)}`;

/** Returns where nodes look for a release and the images in it, which they pull by digest. */
function releasePlacesOf(cluster: HostedCluster): readonly ReleasePlaces[] {
  const input = nodeRulesOf(cluster);
  const configuration = configureMirrors(input);
  if (cluster.releaseImage === "" || configuration.refused) return [];
  const { files } = configurePool({ name: "worker" }, input, configuration);
  const placesOf = placesByFiles(files);
  const own = repositoryOf(cluster.releaseImage);
  const version = versionInTag(cluster.releaseImage) ?? cluster.version;
  return [own, ...(publishedRepositories(own, version) ?? [])].map((repository) => ({
    repository,
    places: placesOf(`${repository}@${anyDigest}`),
  }));
}

/** Returns the hosted clusters that are to run another release, those with something against it first. */
export function hostedUpgrades(snapshot: Snapshot): HostedUpgrades {
  const rows = new Map(hostedRows(snapshot).map((row) => [row.key, row]));
  const upgrades = snapshot.list(kinds.HostedCluster).flatMap((object) => {
    const { cluster } = readHostedCluster(object);
    const row = rows.get(namespacedName(object.metadata));
    if (!row) return [];
    const pools = row.report.nodePools.flatMap(({ name, version, runningVersion }) =>
      version !== null && runningVersion !== null && version !== runningVersion
        ? [{ name, from: runningVersion, to: version }]
        : [],
    );
    if (isReached(cluster) && pools.length === 0) return [];
    return [{ cluster, pools, key: row.key, obstacles: obstaclesOf(row) }];
  });
  const shown = upgrades
    .toSorted((a, b) => Number(b.obstacles.length > 0) - Number(a.obstacles.length > 0))
    .slice(0, maxShown)
    .map(({ cluster, ...upgrade }) => ({
      ...upgrade,
      from: cluster.reachedVersion,
      to: versionInTag(cluster.releaseImage) ?? (cluster.releaseImage || "an unknown release"),
      releasePlaces: releasePlacesOf(cluster),
    }));
  return { total: upgrades.length, shown };
}
