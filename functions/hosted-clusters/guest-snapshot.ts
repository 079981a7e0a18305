import { catalogNamespace } from "#shared/domain/hosted-clusters/olm-catalogs/catalog-objects.ts";
import { defaultCatalogs } from "#shared/domain/hosted-clusters/olm-catalogs/default-catalogs.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { secretText } from "#shared/domain/kubernetes/secret-text.ts";
import { GuestError, type Guests } from "#shared/ports/guests.ts";
import { HubError, type HubReader } from "#shared/ports/hub.ts";
import { ifPermitted } from "./if-permitted.ts";
import { kubeconfigField, kubeconfigName } from "./places.ts";

/** What the guest's own API says, or why nothing is known of it. */
export type GuestSnapshot =
  /** The control plane publishes no kubeconfig, or none yet. */
  | Readonly<{ state: "unpublished" }>
  | Readonly<{ state: "unreachable"; message: string }>
  | Readonly<{
      state: "seen";
      clusterVersion: KubernetesObject | undefined;
      digestMirrorSet: KubernetesObject | undefined;
      contentSourcePolicy: KubernetesObject | undefined;
      operatorHub: KubernetesObject | undefined;
      /** The default CatalogSources that exist. */
      catalogSources: readonly KubernetesObject[];
    }>;

async function readGuest(guest: HubReader): Promise<GuestSnapshot> {
  const [clusterVersion, digestMirrorSet, contentSourcePolicy, operatorHub, ...catalogSources] =
    await Promise.all([
      guest.get(kinds.ClusterVersion, "version"),
      guest.get(kinds.ImageDigestMirrorSet, "cluster"),
      guest.get(kinds.ImageContentSourcePolicy, "cluster"),
      guest.get(kinds.OperatorHub, "cluster"),
      ...defaultCatalogs.map(({ name }) => guest.get(kinds.CatalogSource, name, catalogNamespace)),
    ]);
  return {
    state: "seen",
    clusterVersion,
    digestMirrorSet,
    contentSourcePolicy,
    operatorHub,
    catalogSources: catalogSources.filter((found) => found !== undefined),
  };
}

/**
 * Looks at the guest with the kubeconfig that its control plane publishes. A guest that does not answer is a value,
 * not a failure: the hosted cluster's other affairs go on without it.
 */
export async function observeGuest(
  hub: HubReader,
  guests: Guests,
  { key, controlPlaneNamespace }: Readonly<{ key: string; controlPlaneNamespace: string }>,
): Promise<GuestSnapshot> {
  const { isPermitted, found } = await ifPermitted(
    hub.get(kinds.Secret, kubeconfigName, controlPlaneNamespace),
  );
  if (!isPermitted)
    return {
      state: "unreachable",
      message: `hubrelay may not read the Secret ${kubeconfigName} in ${controlPlaneNamespace}`,
    };
  const kubeconfig = secretText(found, kubeconfigField);
  if (kubeconfig === undefined) return { state: "unpublished" };
  try {
    return await readGuest(await guests.open(key, kubeconfig));
  } catch (error) {
    if (error instanceof GuestError || error instanceof HubError)
      return { state: "unreachable", message: error.message };
    throw error;
  }
}
