import { readGuestCapabilities } from "#shared/domain/hosted-clusters/capabilities/cluster-version-capabilities.ts";
import { catalogSources } from "#shared/domain/hosted-clusters/olm-catalogs/catalog-objects.ts";
import { defaultCatalogsOf } from "#shared/domain/hosted-clusters/olm-catalogs/default-catalogs.ts";
import type { CatalogImage } from "#shared/domain/hosted-clusters/olm-catalogs/olm-catalogs.ts";
import { refusedContentSources } from "#shared/domain/hosted-clusters/validation/validate-hosted-cluster.ts";
import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { fieldsOf, isRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { ensureObject, mergeInto } from "#shared/domain/plan/ensure-object.ts";
import type { Action } from "#shared/domain/plan/plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { mirrorPolicyName, operatorKubeconfigName } from "../well-known-names.ts";
import type { Context } from "./cluster-plan.ts";
import { capabilityWrite, guestMirrorSet } from "./desired.ts";

type SeenGuest = Extract<Context["guest"], Readonly<{ state: "seen" }>>;

function mirrorActions(context: Context, { digestMirrorSet }: SeenGuest): readonly Action[] {
  if (refusedContentSources(context.cluster).length > 0) return [];
  const wanted = mergeInto(digestMirrorSet, guestMirrorSet(context));
  return ensureObject(digestMirrorSet, wanted, "spec.imageContentSources of the HostedCluster");
}

/** A guest that has not reported its capabilities yet counts as having all of them. */
function hasCapability({ clusterVersion }: SeenGuest, capability: string): boolean {
  const enabled = clusterVersion ? readGuestCapabilities(clusterVersion).enabled : [];
  return enabled.length === 0 || enabled.includes(capability);
}

/** A guest that runs the catalogs itself also owns its OperatorHub, once the OperatorHub exists. */
function operatorHubActions({ cluster }: Context, guest: SeenGuest): readonly Action[] {
  const { operatorHub } = guest;
  if (!operatorHub && !hasCapability(guest, "marketplace")) return [];
  if (operatorHub && cluster.olmCatalogPlacement === "guest") return [];
  const isConfigured = isRecord(fieldsOf(fieldsOf(cluster.object.spec).configuration).operatorhub);
  const wanted: KubernetesObject = {
    apiVersion: "config.openshift.io/v1",
    kind: "OperatorHub",
    metadata: { name: "cluster" },
    spec: isConfigured ? { disableAllDefaultSources: cluster.disablesDefaultCatalogs } : {},
  };
  return ensureObject(
    operatorHub,
    mergeInto(operatorHub, wanted),
    "spec.configuration.operatorhub of the HostedCluster",
  );
}

function hasDefaultCatalogs({ cluster }: Context, { operatorHub }: SeenGuest): boolean {
  const isGuestOwned = cluster.olmCatalogPlacement === "guest" && operatorHub !== undefined;
  return isGuestOwned
    ? fieldsOf(operatorHub.spec).disableAllDefaultSources !== true
    : !cluster.disablesDefaultCatalogs;
}

function catalogActions(
  context: Context,
  guest: SeenGuest,
  images: readonly CatalogImage[] | "unknown",
): readonly Action[] {
  const present = (name: string) => guest.catalogSources.find(({ metadata }) => metadata.name === name);
  if (!hasDefaultCatalogs(context, guest))
    return guest.catalogSources.map((object) => ({
      verb: "delete",
      object,
      reason: "the default catalogs are disabled",
    }));
  const names = defaultCatalogsOf(context.cluster).map(({ name }) => name);
  const outdated = guest.catalogSources.filter(({ metadata }) => !names.includes(metadata.name));
  const removals = outdated.map(
    (object): Action => ({ verb: "delete", object, reason: "the release does not have this catalog" }),
  );
  if (images === "unknown" || !hasCapability(guest, "OperatorLifecycleManager")) return removals;
  const written = catalogSources(context.cluster.olmCatalogPlacement, images).flatMap((wanted) => {
    const found = present(wanted.metadata.name);
    return ensureObject(found, mergeInto(found, wanted), "the default catalogs of the release");
  });
  return [...removals, ...written];
}

function capabilityActions(context: Context, { clusterVersion }: SeenGuest): readonly Action[] {
  if (!clusterVersion) return [];
  const { capabilities, differences } = capabilityWrite(context, clusterVersion);
  if (differences.length === 0) return [];
  const { capabilities: _present, ...others } = fieldsOf(clusterVersion.spec);
  const spec = { ...others, ...(capabilities ? { capabilities } : {}) };
  return ensureObject(clusterVersion, { ...clusterVersion, spec }, "spec.capabilities of the HostedCluster");
}

const guardedActions = (context: Context, guest: SeenGuest): readonly Action[] => [
  ...mirrorActions(context, guest),
  ...operatorHubActions(context, guest),
];

/** Returns an issue if the plan needs writes that a locked guest refuses. */
export function lockedIssues(context: Context): readonly Issue[] {
  const { guest, cluster } = context;
  if (guest.state !== "seen" || !guest.isLocked) return [];
  const refused = guardedActions(context, guest).map(
    ({ object }) => `${object.kind} ${object.metadata.name}`,
  );
  if (refused.length === 0) return [];
  return [
    fieldIssue(cluster.object, "", undefined, {
      code: "GuestLocked",
      message: sentence`The guest's admission policies allow only HyperShift's operator to write ${refused.join(" and ")}, and hubrelay cannot authenticate as that operator.`,
      remedy: sentence`Let hubrelay read the Secret ${operatorKubeconfigName} in ${cluster.controlPlaneNamespace}, or remove the policies ${mirrorPolicyName} and config from the guest.`,
    }),
  ];
}

/** Plans the writes of own mode in the guest; none if the guest was not read. */
export function planOwnedGuest(
  context: Context,
  images: readonly CatalogImage[] | "unknown",
): readonly Action[] {
  const { guest, key } = context;
  if (guest.state !== "seen") return [];
  const actions = [
    ...(guest.isLocked ? [] : guardedActions(context, guest)),
    ...catalogActions(context, guest, images),
    ...capabilityActions(context, guest),
  ];
  return actions.map((action) => ({ ...action, guest: key }));
}
