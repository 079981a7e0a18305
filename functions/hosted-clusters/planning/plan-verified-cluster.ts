import { pauseOf } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { imagesOf, relevantSources } from "#shared/domain/hosted-clusters/cluster-overrides.ts";
import {
  decodeOverrides,
  type RegistryOverrides,
} from "#shared/domain/hosted-clusters/overrides/environment-text.ts";
import { decodeReplacements } from "#shared/domain/hosted-clusters/overrides/registry-replacements.ts";
import { byCodeUnit, fieldsOf, isSameJson, ownValue } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { mergePlans, nothing, type PartialPlan, settled } from "#shared/domain/plan/partial-plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { repositoriesIn } from "../snapshot/find-payload.ts";
import { type Context, expected, isPlannedAsOwned } from "./cluster-plan.ts";
import {
  capabilityWrite,
  copiedFields,
  copiesOf,
  differingFields,
  guestMirrorSet,
  overridesTextOf,
  replacementsTextOf,
} from "./desired.ts";

const copyGraceSeconds = 90;
const guestGraceSeconds = 300;
/** HyperShift's operator may write overrides late, because it reads mirrors only when it reconciles. */
const overridesGraceSeconds = 900;

function copyDifferences({ cluster }: Context, hostedControlPlane: KubernetesObject): readonly string[] {
  const { annotations } = copiesOf(cluster.object);
  const present = hostedControlPlane.metadata.annotations ?? {};
  const { changeable, immutable } = differingFields(cluster.object, hostedControlPlane);
  return [
    ...Object.entries(annotations)
      .filter(([name, value]) => (value ?? "") !== (ownValue(present, name) ?? ""))
      .map(([name]) => sentence`The annotation ${name} differs in the HostedControlPlane.`),
    ...copiedFields
      .filter((field) => [...changeable, ...immutable].includes(field))
      .map((field) => `spec.${field} differs in the HostedControlPlane.`),
  ];
}

/** The result is a set because HyperShift does not keep the order. */
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

/** Since 4.18, a control plane uses these mirrors after the other mirrors of a source. */
function replacementPairs(operator: KubernetesObject): ReadonlySet<string> {
  const replacements = decodeReplacements(replacementsTextOf(operator) ?? "") ?? [];
  return new Set([...replacements].map(([source, target]) => `${source}=${target}`));
}

function overrideDifferences(
  { cluster, hubOverrides, payload }: Context,
  deployment: KubernetesObject,
  permitted: ReadonlySet<string>,
): readonly string[] {
  const text = overridesTextOf(deployment);
  if (text === undefined) return [];
  const relevant = relevantSources(imagesOf(cluster, repositoriesIn(payload)));
  const wanted = pairsOf(hubOverrides.overrides, relevant);
  const present = pairsOf(decodeOverrides(text) ?? new Map(), relevant);
  const missing = [...wanted.difference(present)].sort(byCodeUnit);
  const outdated = [...present.difference(wanted).difference(permitted)].sort(byCodeUnit);
  const { name } = deployment.metadata;
  return [
    ...missing.map((pair) => sentence`The Deployment ${name} lacks the mirror ${pair}.`),
    ...outdated.map((pair) => sentence`The Deployment ${name} still has the mirror ${pair}.`),
  ];
}

function guestDifferences(context: Context): readonly string[] {
  const { guest, cluster } = context;
  if (guest.state !== "seen") return [];
  const { digestMirrorSet, operatorHub, clusterVersion } = guest;
  const wanted = guestMirrorSet(context).spec;
  const isMirrored = digestMirrorSet
    ? isSameJson(digestMirrorSet.spec, wanted)
    : cluster.imageContentSources.length === 0;
  const isFollowing =
    cluster.olmCatalogPlacement === "guest" ||
    !operatorHub ||
    (fieldsOf(operatorHub.spec).disableAllDefaultSources === true) === cluster.disablesDefaultCatalogs;
  return [
    ...(isMirrored ? [] : ["The ImageDigestMirrorSet cluster does not match spec.imageContentSources."]),
    ...(isFollowing
      ? []
      : ["OperatorHub cluster does not follow spec.configuration.operatorhub.disableAllDefaultSources."]),
    ...(clusterVersion ? capabilityWrite(context, clusterVersion).differences : []),
  ];
}

const owner = "HyperShift's operator";

function planControlPlane(context: Context): PartialPlan {
  if (!context.controlPlane.hostedControlPlane)
    return settled(
      sentence`${context.key} ControlPlane`,
      "waiting",
      "the HostedControlPlane does not exist",
      {
        owner,
      },
    );
  return expected(context, {
    about: "ControlPlane",
    differences: copyDifferences(context, context.controlPlane.hostedControlPlane),
    owner,
    graceSeconds: copyGraceSeconds,
    remedy: "Check the condition ReconciliationSucceeded and the operator's log.",
  });
}

function planOverrides(context: Context): PartialPlan {
  const { operator, overridesReaders } = context.controlPlane;
  if (!operator || overridesTextOf(operator) === undefined)
    return settled(sentence`${context.key} Overrides`, "waiting", "no control-plane operator has overrides", {
      owner,
    });
  const ofOperator = overrideDifferences(context, operator, new Set());
  const permitted = replacementPairs(operator);
  const ofReaders = overridesReaders.flatMap((one) => overrideDifferences(context, one, permitted));
  // HyperShift's operator writes the overrides of the control-plane operator, which passes them on to the readers.
  const isPassedOn = ofOperator.length > 0 || ofReaders.length === 0;
  return expected(context, {
    about: "Overrides",
    differences: [...ofOperator, ...ofReaders],
    owner: isPassedOn ? owner : "HyperShift's control-plane-operator",
    graceSeconds: overridesGraceSeconds,
    remedy: !isPassedOn
      ? "Check its log in the namespace of the control plane."
      : "It reads mirrors only when it reconciles a HostedCluster, within ten hours: any change to this one, such as an annotation, triggers that.",
  });
}

function planGuest(context: Context): PartialPlan {
  const { guest, key } = context;
  if (guest.state === "unpublished")
    return settled(sentence`${key} Guest`, "waiting", "no kubeconfig is published");
  if (guest.state === "unreachable") return settled(sentence`${key} Guest`, "unknown", guest.message);
  return expected(context, {
    about: "Guest",
    differences: guestDifferences(context),
    owner: "HyperShift's hosted-cluster-config-operator",
    graceSeconds: guestGraceSeconds,
    remedy: "Check its log in the namespace of the control plane.",
  });
}

function planHandOver({ key, cluster }: Context, reason: string): PartialPlan {
  const message = sentence`hubrelay only verifies: ${reason}.`;
  return {
    ...settled(key, "waiting", message),
    objectEvents: [{ regarding: cluster.object, type: "Normal", reason: "NotHandedOver", message }],
  };
}

/** Plans verify mode: an Event when HyperShift should write, and an Event about drift if it does not write in time. */
export function planVerifiedCluster(context: Context): PartialPlan {
  if (isPlannedAsOwned(context)) return nothing;
  const { reason, isNotHandedOver } = context.ownership;
  const { key, cluster, now } = context;
  const pause = pauseOf(cluster.pausedUntil, now);
  if (pause.isPaused)
    return {
      ...settled(key, "paused", sentence`${reason}; spec.pausedUntil pauses it`),
      ...(pause.until ? { requeueAt: pause.until } : {}),
    };
  return mergePlans(
    isNotHandedOver ? planHandOver(context, reason) : nothing,
    planControlPlane(context),
    planOverrides(context),
    planGuest(context),
  );
}
