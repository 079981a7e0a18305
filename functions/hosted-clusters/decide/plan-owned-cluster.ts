import { createHash } from "node:crypto";
import type { OutcomeEvent } from "#shared/domain/events/outcome-event.ts";
import { pauseOf } from "#shared/domain/hosted-clusters/cluster/pause.ts";
import type { CatalogImage } from "#shared/domain/hosted-clusters/olm-catalogs/annotation-images.ts";
import { annotationImages } from "#shared/domain/hosted-clusters/olm-catalogs/annotation-images.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import { withOutcome } from "#shared/domain/plan/kept-outcomes.ts";
import type { Action } from "#shared/domain/plan/plan.ts";
import { derivesCatalogs } from "../observe/find-catalogs.ts";
import { type Context, clusterOutcome, type PartialPlan, settled } from "./cluster-plan.ts";
import { isHandedOver } from "./plan-derived-fields.ts";
import { immutableIssues, planOwnedControlPlane } from "./plan-owned-control-plane.ts";
import { lockedIssues, planOwnedGuest } from "./plan-owned-guest.ts";

type Images = readonly CatalogImage[] | "unknown";

/** The images of the guest's catalogs; unknown where registries did not tell, so that what there is stays. */
function catalogImages({ cluster, findings }: Context): Images {
  const named = annotationImages(cluster);
  if (named.state === "given") return named.images;
  if (named.state === "refused" || findings.state !== "found" || derivesCatalogs(cluster)) return "unknown";
  return findings.catalogs.map(({ catalog, image }) => ({ name: catalog.name, image }));
}

/** What the ImageStream imports: nothing where the images are given by digest, or the catalogs run elsewhere. */
function importedCatalogs({ cluster }: Context, images: Images): Images {
  const isElsewhere = cluster.olmCatalogPlacement === "guest" || cluster.disablesDefaultCatalogs;
  return isElsewhere || annotationImages(cluster).state === "given" ? [] : images;
}

function whereOf({ guest, object }: Action): string {
  return `${object.kind} ${object.metadata.name}${guest === undefined ? "" : " in the guest"}`;
}

/** Why something of the hosted cluster has to wait. */
function waitingFor({ controlPlane, guest }: Context): readonly string[] {
  return [
    ...(controlPlane.hostedControlPlane ? [] : ["its HostedControlPlane does not exist"]),
    ...(guest.state === "unpublished" ? ["its control plane publishes no kubeconfig"] : []),
    ...(guest.state === "unreachable" ? [guest.message] : []),
  ];
}

/** An outcome for each write: those of a plan may fail one by one. */
function writtenOutcome(one: Context, action: Action, waiting: readonly string[]): OutcomeEvent {
  const { spec, data, metadata } = action.object;
  const state = { resourceVersion: metadata.resourceVersion, spec, data };
  const from = createHash("sha256").update(JSON.stringify(state)).digest("hex");
  return clusterOutcome("writing", one, from, {
    written: [`${action.verb} ${whereOf(action)}`],
    waiting,
  });
}

/** Own mode: hubrelay writes what the hosted cluster needs, on the hub first and then in the guest. */
export function planOwnedCluster(one: Context, ownerReason: string, isTakenOver: boolean): PartialPlan {
  const { key, cluster, now } = one;
  const pause = pauseOf(cluster.pausedUntil, now);
  if (pause.isPaused && !isTakenOver) {
    const until = pause.until ? ` until ${pause.until.toISOString()}` : "";
    return {
      ...settled(key, "paused", `spec.pausedUntil holds it${until}`),
      ...(pause.until ? { requeueAt: pause.until } : {}),
    };
  }
  const images = catalogImages(one);
  const actions = [
    ...planOwnedControlPlane(one, importedCatalogs(one, images)),
    ...planOwnedGuest(one, images),
  ];
  const waiting = waitingFor(one);
  const reason = [ownerReason, ...waiting].join("; ");
  const issues = [...immutableIssues(one), ...lockedIssues(one)];
  if (actions.length === 0)
    return { ...settled(key, waiting.length > 0 ? "waiting" : "unchanged", reason), issues };
  const written = actions.map((action) => `${action.verb} ${whereOf(action)}`);
  return {
    ...settled(key, "update", `${reason}: ${written.join(", ")}`),
    issues,
    actions: actions.map((action) => withOutcome(action, writtenOutcome(one, action, waiting))),
    // Derived fields are told as being in effect when the control plane has them.
    ...(isHandedOver(cluster) && actions.some(({ object }) => isKind(kinds.HostedControlPlane, object))
      ? { again: true }
      : {}),
  };
}
