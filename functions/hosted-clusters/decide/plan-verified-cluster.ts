import {
  compareWithGuest,
  readGuestCapabilities,
} from "#shared/domain/hosted-clusters/capabilities/guest-capabilities.ts";
import { pauseOf } from "#shared/domain/hosted-clusters/cluster/pause.ts";
import { imagesOf, relevantSources } from "#shared/domain/hosted-clusters/cluster-images.ts";
import { decodeOverrides } from "#shared/domain/hosted-clusters/overrides/environment-text.ts";
import { overridesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/hypershift-overrides.ts";
import type { RegistryOverrides } from "#shared/domain/hosted-clusters/overrides/overrides.ts";
import { byCodeUnit } from "#shared/domain/json/order.ts";
import { isSameJson } from "#shared/domain/json/same-json.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { repositoriesIn } from "../observe/find-payload.ts";
import { type Context, expected, mergePlans, type PartialPlan, settled } from "./cluster-plan.ts";
import { capabilitiesOf, copiedFields, copiesOf, differingFields, guestMirrorSet } from "./desired.ts";
import { overridesTextOf } from "./environment-of.ts";

/* How long HyperShift may take before a difference is drift. */
const copyGraceSeconds = 90;
const guestGraceSeconds = 300;
/** HyperShift reads the mirrors when the hosted cluster happens to be reconciled; nothing wakes it. */
const overridesGraceSeconds = 900;

/** Whatever the HostedControlPlane does not have of its HostedCluster. */
function copyDifferences({ cluster }: Context, hostedControlPlane: KubernetesObject): readonly string[] {
  const { annotations } = copiesOf(cluster.object);
  const present = hostedControlPlane.metadata.annotations ?? {};
  const { changeable, immutable } = differingFields(cluster.object, hostedControlPlane);
  return [
    ...Object.entries(annotations)
      .filter(([name, value]) => (value ?? "") !== (present[name] ?? ""))
      .map(([name]) => `The annotation ${name} is another in the HostedControlPlane.`),
    ...copiedFields
      .filter((field) => [...changeable, ...immutable].includes(field))
      .map((field) => `spec.${field} is another in the HostedControlPlane.`),
  ];
}

/** The pairs of some overrides that concern the cluster, whatever their order: HyperShift's is not kept. */
function pairsOf(
  overrides: RegistryOverrides,
  relevant: ReadonlySet<string> | undefined,
): ReadonlySet<string> {
  return new Set(
    [...overrides]
      .filter(([source]) => relevant === undefined || relevant.has(source))
      .flatMap(([source, mirrors]) => mirrors.map((mirror) => `${source}=${mirror}`)),
  );
}

/** Pairs that the control plane should have of the management cluster's mirrors and has not, and the reverse. */
function overrideDifferences({ cluster, mirrorObjects, payload }: Context, text: string): readonly string[] {
  const relevant = relevantSources(imagesOf(cluster, repositoriesIn(payload)));
  const wanted = pairsOf(overridesLikeHypershift(mirrorObjects).overrides, relevant);
  const present = pairsOf(decodeOverrides(text) ?? new Map(), relevant);
  const missing = [...wanted.difference(present)].sort(byCodeUnit);
  const outdated = [...present.difference(wanted)].sort(byCodeUnit);
  return [
    ...missing.map((pair) => `The control plane lacks the mirror ${pair}.`),
    ...outdated.map((pair) => `The control plane still has the mirror ${pair}.`),
  ];
}

/** What of the guest is not as the HostedCluster says, as far as HyperShift is to keep it so. */
function guestDifferences(one: Context): readonly string[] {
  const { guest, cluster } = one;
  if (guest.state !== "seen") return [];
  const { digestMirrorSet, operatorHub, clusterVersion } = guest;
  const wanted = guestMirrorSet(one).spec;
  const isMirrored = digestMirrorSet
    ? isSameJson(digestMirrorSet.spec, wanted)
    : cluster.imageContentSources.length === 0;
  const isFollowing =
    cluster.olmCatalogPlacement === "guest" ||
    !operatorHub ||
    (Object(operatorHub.spec).disableAllDefaultSources === true) === cluster.disablesDefaultCatalogs;
  const names = capabilitiesOf(one, { compat: "hypershift" }).additionalEnabledCapabilities ?? [];
  const drift = clusterVersion && compareWithGuest(names, readGuestCapabilities(clusterVersion));
  return [
    ...(isMirrored ? [] : ["The ImageDigestMirrorSet cluster is not what spec.imageContentSources says."]),
    ...(isFollowing
      ? []
      : ["OperatorHub cluster does not follow spec.configuration.operatorhub.disableAllDefaultSources."]),
    ...(drift && drift.missing.length > 0
      ? [`ClusterVersion does not enable ${drift.missing.join(", ")}.`]
      : []),
    ...(drift && drift.unwanted.length > 0
      ? [`ClusterVersion enables ${drift.unwanted.join(", ")}, which the HostedCluster does not ask for.`]
      : []),
  ];
}

const owner = "HyperShift's operator";

function controlPlanePart(one: Context): PartialPlan {
  if (!one.controlPlane.hostedControlPlane)
    return settled(`${one.key} ControlPlane`, "waiting", "there is no HostedControlPlane", { owner });
  return expected(one, {
    about: "ControlPlane",
    differences: copyDifferences(one, one.controlPlane.hostedControlPlane),
    owner,
    graceSeconds: copyGraceSeconds,
    remedy: "Look at the condition ReconciliationSucceeded and at the operator's log.",
  });
}

function overridesPart(one: Context): PartialPlan {
  const { operator } = one.controlPlane;
  const text = operator && overridesTextOf(operator);
  if (text === undefined)
    return settled(`${one.key} Overrides`, "waiting", "no control-plane operator has overrides", { owner });
  return expected(one, {
    about: "Overrides",
    differences: overrideDifferences(one, text),
    owner,
    graceSeconds: overridesGraceSeconds,
    remedy:
      "It reads mirrors only when it reconciles a HostedCluster, within ten hours: any change of this one, an annotation for instance, makes it.",
  });
}

/** What is to be said of a guest that did not tell anything. */
function guestPart(one: Context): PartialPlan {
  const { guest, key } = one;
  if (guest.state === "unpublished") return settled(`${key} Guest`, "waiting", "no kubeconfig is published");
  if (guest.state === "unreachable") return settled(`${key} Guest`, "unknown", guest.message);
  return expected(one, {
    about: "Guest",
    differences: guestDifferences(one),
    owner: "HyperShift's hosted-cluster-config-operator",
    graceSeconds: guestGraceSeconds,
    remedy: "Look at its log in the namespace of the control plane.",
  });
}

/**
 * Verify mode: HyperShift writes for the hosted cluster. Says what it is expected to write, and when it has not done
 * so in its time, that the cluster drifts. A paused cluster is nobody's to write.
 */
export function planVerifiedCluster(one: Context, ownerReason: string): PartialPlan {
  const { key, cluster, now } = one;
  const pause = pauseOf(cluster.pausedUntil, now);
  if (pause.isPaused)
    return {
      ...settled(key, "paused", `${ownerReason}; spec.pausedUntil holds it`),
      ...(pause.until ? { requeueAt: pause.until } : {}),
    };
  return mergePlans(controlPlanePart(one), overridesPart(one), guestPart(one));
}
