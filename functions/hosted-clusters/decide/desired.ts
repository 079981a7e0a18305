import { readGuestCapabilities } from "#shared/domain/hosted-clusters/capabilities/guest-capabilities.ts";
import {
  type ClusterCapabilities,
  readCapabilityChoice,
  resolveCapabilities,
} from "#shared/domain/hosted-clusters/capabilities/resolve.ts";
import { deadMarketplaceAnnotation } from "#shared/domain/hosted-clusters/olm-catalogs/default-catalogs.ts";
import { catalogAnnotationNames } from "#shared/domain/hosted-clusters/olm-catalogs/mirrored-catalogs.ts";
import { isSameJson } from "#shared/domain/json/same-json.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Context } from "./cluster-plan.ts";

/* What hosted clusters have, worked out from the HostedCluster: what hubrelay writes where it is the owner, and what
   it compares with where HyperShift is. */

/** The annotations that a HostedControlPlane has from its HostedCluster; a missing one is missing there as well. */
const copiedAnnotations: readonly string[] = [...catalogAnnotationNames, deadMarketplaceAnnotation];
/** The fields of the spec that are copied as they are. */
export const copiedFields = ["imageContentSources", "capabilities", "olmCatalogPlacement"] as const;

/** Those of them that the API of a HostedControlPlane lets nobody change once they are there. */
const immutableFields: readonly string[] = ["capabilities", "olmCatalogPlacement"];

/** As HyperShift's operators write it again: their client leaves out lists without entries. */
function withoutEmptyLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyLists);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, one]) => !isSameJson(one, []));
  return Object.fromEntries(kept.map(([field, one]) => [field, withoutEmptyLists(one)]));
}

const isDefault = (value: unknown) =>
  value === undefined || isSameJson(value, []) || isSameJson(value, {}) || value === "management";

/** The copied fields that differ: a field that is left out is like its default. */
export function differingFields(
  hostedCluster: KubernetesObject,
  hostedControlPlane: KubernetesObject,
): Readonly<{ changeable: readonly string[]; immutable: readonly string[] }> {
  const { spec } = copiesOf(hostedCluster);
  const present: Readonly<Record<string, unknown>> = isRecord(hostedControlPlane.spec)
    ? hostedControlPlane.spec
    : {};
  const isSame = (a: unknown, b: unknown) =>
    (isDefault(a) && isDefault(b)) || isSameJson(a ?? null, b ?? null);
  const differing = Object.entries(spec)
    .filter(([field, value]) => !isSame(withoutEmptyLists(value), withoutEmptyLists(present[field])))
    .map(([field]) => field);
  const isImmutable = (field: string) => immutableFields.includes(field) && present[field] !== undefined;
  return {
    changeable: differing.filter((field) => !isImmutable(field)),
    immutable: differing.filter(isImmutable),
  };
}

const roleLabel = "machineconfiguration.openshift.io/role";

/** What the HostedControlPlane should have of its HostedCluster: undefined where it should have nothing. */
export function copiesOf(hostedCluster: KubernetesObject): Readonly<{
  annotations: Readonly<Record<string, string | undefined>>;
  spec: Readonly<Record<string, unknown>>;
}> {
  const { annotations = {} } = hostedCluster.metadata;
  const spec = Object(hostedCluster.spec);
  return {
    annotations: Object.fromEntries(copiedAnnotations.map((name) => [name, annotations[name]])),
    spec: Object.fromEntries(copiedFields.map((field) => [field, spec[field]])),
  };
}

/** The IDMS `cluster` of the guest, which carries `spec.imageContentSources` to its nodes. */
export function guestMirrorSet({ cluster }: Context): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    metadata: { name: "cluster", labels: { [roleLabel]: "worker" } },
    spec: {
      // A source without mirrors has no empty list: HyperShift writes none, and a node's mirrors are hashed as text.
      imageDigestMirrors: cluster.imageContentSources.map(({ source, mirrors }) => ({
        source,
        ...(mirrors.length > 0 ? { mirrors } : {}),
      })),
    },
  };
}

/** The capabilities of the guest's ClusterVersion, as far as the guest knows them. */
export function capabilitiesOf(
  { cluster, guest }: Context,
  options: Readonly<{ compat?: "hypershift" }> = {},
): ClusterCapabilities {
  const clusterVersion = guest.state === "seen" ? guest.clusterVersion : undefined;
  const seen = clusterVersion && readGuestCapabilities(clusterVersion);
  return resolveCapabilities(
    {
      choice: readCapabilityChoice(cluster.capabilities),
      version: cluster.version,
      ...(seen ? { knownToGuest: seen.known } : {}),
    },
    options,
  );
}
