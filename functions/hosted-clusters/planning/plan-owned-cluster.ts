import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { catalogOverridesAnnotation } from "#shared/domain/hosted-clusters/olm-catalogs/default-catalogs.ts";
import {
  annotationImages,
  type CatalogImage,
  olmCatalogs,
} from "#shared/domain/hosted-clusters/olm-catalogs/olm-catalogs.ts";
import { compareReleases, parseRelease } from "#shared/domain/openshift/releases/release.ts";
import { nothing, type PartialPlan, settled } from "#shared/domain/plan/partial-plan.ts";
import type { Action } from "#shared/domain/plan/plan.ts";
import { derivesCatalogs } from "../snapshot/find-catalogs.ts";
import { type Context, isPlannedAsOwned } from "./cluster-plan.ts";
import { immutableIssues, planOwnedControlPlane } from "./plan-owned-control-plane.ts";
import { lockedIssues, planOwnedGuest } from "./plan-owned-guest.ts";

type Images = readonly CatalogImage[] | "unknown";

function isBetweenReleases({ controlPlaneVersion, begunVersions }: HostedCluster): boolean {
  const releases = [controlPlaneVersion, ...begunVersions].flatMap((version) => parseRelease(version) ?? []);
  return releases.some((release, _index, [first = release]) => compareReleases(release, first) !== 0);
}

/** With `unknown`, for example during an upgrade, the catalogs stay unchanged. */
function catalogImages({ cluster, findings }: Context): Images {
  const named = annotationImages(cluster);
  if (named.state === "given") return named.images;
  if (named.state === "refused" || isBetweenReleases(cluster)) return "unknown";
  const isDerivedYet = cluster.annotations[catalogOverridesAnnotation] !== undefined;
  if (derivesCatalogs(cluster) && !isDerivedYet) return "unknown";
  if (cluster.olmCatalogPlacement === "guest") {
    const { catalogs } = olmCatalogs(cluster);
    return catalogs.length > 0 ? catalogs : "unknown";
  }
  if (findings.state !== "found" || derivesCatalogs(cluster)) return "unknown";
  return findings.catalogs.map(({ catalog, image }) => ({ name: catalog.name, image }));
}

function importedCatalogs({ cluster }: Context, images: Images): Images {
  const isElsewhere = cluster.olmCatalogPlacement === "guest" || cluster.disablesDefaultCatalogs;
  return isElsewhere || annotationImages(cluster).state === "given" ? [] : images;
}

function describeTarget({ guest, object }: Action): string {
  return `${object.kind} ${object.metadata.name}${guest === undefined ? "" : " in the guest"}`;
}

function waitReasons({ controlPlane, guest }: Context): readonly string[] {
  return [
    ...(controlPlane.hostedControlPlane ? [] : ["its HostedControlPlane does not exist"]),
    ...(guest.state === "unpublished" ? ["its control plane publishes no kubeconfig"] : []),
    ...(guest.state === "unreachable" ? [guest.message] : []),
  ];
}

/** Plans the writes of own mode: first the objects on the hub, then the objects in the guest. */
export function planOwnedCluster(context: Context): PartialPlan {
  const { key, ownership } = context;
  if (!isPlannedAsOwned(context)) return nothing;
  const images = catalogImages(context);
  const actions = [
    ...planOwnedControlPlane(context, importedCatalogs(context, images)),
    ...planOwnedGuest(context, images),
  ];
  const waiting = waitReasons(context);
  const reason = [ownership.reason, ...waiting].join("; ");
  const issues = [...immutableIssues(context), ...lockedIssues(context)];
  if (actions.length === 0)
    return { ...settled(key, waiting.length > 0 ? "waiting" : "unchanged", reason), issues };
  const written = actions.map((action) => `${action.verb} ${describeTarget(action)}`);
  return {
    ...settled(key, "update", `${reason}: ${written.join(", ")}`),
    issues,
    actions,
  };
}
