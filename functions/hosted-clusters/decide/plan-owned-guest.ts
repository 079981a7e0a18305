import { withIngressesGuarded } from "#shared/domain/hosted-clusters/absence/ingress-rule.ts";
import { readGuestCapabilities } from "#shared/domain/hosted-clusters/capabilities/guest-capabilities.ts";
import { readCapabilityChoice } from "#shared/domain/hosted-clusters/capabilities/resolve.ts";
import type { CatalogImage } from "#shared/domain/hosted-clusters/olm-catalogs/annotation-images.ts";
import { catalogSources } from "#shared/domain/hosted-clusters/olm-catalogs/catalog-objects.ts";
import { type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import { isSameJson } from "#shared/domain/json/same-json.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Action } from "#shared/domain/plan/plan.ts";
import { mirrorPolicyName, operatorKubeconfigName } from "../well-known-names.ts";
import type { Context } from "./cluster-plan.ts";
import { capabilitiesOf, guestMirrorSet } from "./desired.ts";

type SeenGuest = Extract<Context["guest"], Readonly<{ state: "seen" }>>;

/** Creates the object, or gives it this spec and what else of metadata is ours; the rest stays. */
function put(
  present: KubernetesObject | undefined,
  wanted: KubernetesObject,
  reason: string,
): readonly Action[] {
  if (!present) return [{ verb: "create", object: wanted, reason }];
  const { labels = {}, annotations = {} } = present.metadata;
  const metadata = {
    ...present.metadata,
    ...(wanted.metadata.labels ? { labels: { ...labels, ...wanted.metadata.labels } } : {}),
    ...(wanted.metadata.annotations
      ? { annotations: { ...annotations, ...wanted.metadata.annotations } }
      : {}),
  };
  const object = { ...present, metadata, spec: wanted.spec };
  return isSameJson(object, present) ? [] : [{ verb: "update", object, reason }];
}

/** The nodes' mirrors; an older ImageContentSourcePolicy of the same name goes first. */
function mirrorActions(one: Context, { digestMirrorSet, contentSourcePolicy }: SeenGuest): readonly Action[] {
  const outdated: readonly Action[] = contentSourcePolicy
    ? [{ verb: "delete", object: contentSourcePolicy, reason: "an ImageDigestMirrorSet takes its place" }]
    : [];
  return [
    ...outdated,
    ...put(digestMirrorSet, guestMirrorSet(one), "spec.imageContentSources of the HostedCluster"),
  ];
}

/** Whether the guest has what comes with a capability; a guest that does not tell yet is about to. */
function has({ clusterVersion }: SeenGuest, capability: string): boolean {
  const enabled = clusterVersion ? readGuestCapabilities(clusterVersion).enabled : [];
  return enabled.length === 0 || enabled.includes(capability);
}

/** With the catalogs in the control plane the guest follows the HostedCluster; else the guest owns what it has. */
function operatorHubActions({ cluster }: Context, guest: SeenGuest): readonly Action[] {
  const { operatorHub } = guest;
  if (!operatorHub && !has(guest, "marketplace")) return [];
  if (operatorHub && cluster.olmCatalogPlacement === "guest") return [];
  const isConfigured = isRecord(Object(cluster.object.spec).configuration?.operatorhub);
  const wanted: KubernetesObject = {
    apiVersion: "config.openshift.io/v1",
    kind: "OperatorHub",
    metadata: { name: "cluster" },
    spec: isConfigured ? { disableAllDefaultSources: cluster.disablesDefaultCatalogs } : {},
  };
  return put(operatorHub, wanted, "spec.configuration.operatorhub of the HostedCluster");
}

/** Whether the guest has default catalogs at all: what its own OperatorHub says where that is the guest's. */
function hasDefaultCatalogs({ cluster }: Context, { operatorHub }: SeenGuest): boolean {
  const isGuests = cluster.olmCatalogPlacement === "guest" && operatorHub !== undefined;
  return isGuests
    ? Object(operatorHub.spec).disableAllDefaultSources !== true
    : !cluster.disablesDefaultCatalogs;
}

function catalogActions(
  one: Context,
  guest: SeenGuest,
  images: readonly CatalogImage[] | "unknown",
): readonly Action[] {
  const present = (name: string) => guest.catalogSources.find(({ metadata }) => metadata.name === name);
  if (!hasDefaultCatalogs(one, guest))
    return guest.catalogSources.map((object) => ({
      verb: "delete",
      object,
      reason: "the default catalogs are disabled",
    }));
  if (images === "unknown" || !has(guest, "OperatorLifecycleManager")) return [];
  return catalogSources(one.cluster.olmCatalogPlacement, images).flatMap((wanted) =>
    put(present(wanted.metadata.name), wanted, "the default catalogs of the release"),
  );
}

/** The capabilities in the guest's ClusterVersion; what else is in its spec belongs to others. */
function capabilityActions(one: Context, { clusterVersion }: SeenGuest): readonly Action[] {
  if (!clusterVersion || one.cluster.version === undefined) return [];
  const spec = { ...Object(clusterVersion.spec), capabilities: capabilitiesOf(one) };
  return put(clusterVersion, { ...clusterVersion, spec }, "spec.capabilities of the HostedCluster");
}

/** Whether the guest's users are kept from `ingresses` follows the capability; the policy itself is not created. */
function guardActions({ cluster }: Context, { configPolicy }: SeenGuest): readonly Action[] {
  if (!configPolicy) return [];
  const isEnabled = !readCapabilityChoice(cluster.capabilities).disabled.includes("Ingress");
  const object = withIngressesGuarded(configPolicy, isEnabled);
  const reason = `Ingress is ${isEnabled ? "enabled" : "disabled"}`;
  return object === configPolicy ? [] : [{ verb: "update", object, reason }];
}

/** What a locked guest refuses to everybody but HyperShift's operator. */
const guardedActions = (one: Context, guest: SeenGuest): readonly Action[] => [
  ...mirrorActions(one, guest),
  ...operatorHubActions(one, guest),
];

/** What hubrelay should write in the guest, and would be refused. */
export function lockedIssues(one: Context): readonly Issue[] {
  const { guest, cluster } = one;
  if (guest.state !== "seen" || !guest.isLocked) return [];
  const refused = guardedActions(one, guest).map(({ object }) => `${object.kind} ${object.metadata.name}`);
  if (refused.length === 0) return [];
  return [
    {
      code: "GuestLocked",
      severity: "error",
      object: issueObject(cluster.object),
      path: "",
      value: undefined,
      message: `The guest's admission policies let nobody but HyperShift's operator write ${refused.join(" and ")}, and hubrelay has no way to come as that.`,
      remedy: `Let hubrelay read the Secret ${operatorKubeconfigName} in ${cluster.controlPlaneNamespace}, or remove the policies ${mirrorPolicyName} and config from the guest.`,
    },
  ];
}

/** Own mode, in the guest: what its API is to have. Nothing where the guest cannot be reached. */
export function planOwnedGuest(one: Context, images: readonly CatalogImage[] | "unknown"): readonly Action[] {
  const { guest, key } = one;
  if (guest.state !== "seen") return [];
  const actions = [
    ...(guest.isLocked ? [] : guardedActions(one, guest)),
    ...catalogActions(one, guest, images),
    ...capabilityActions(one, guest),
    ...guardActions(one, guest),
  ];
  return actions.map((action) => ({ ...action, guest: key }));
}
