import { guardedConfigPolicy } from "#shared/domain/hosted-clusters/disabled-capabilities/ingress-rule.ts";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { catalogNamespace } from "#shared/domain/hosted-clusters/olm-catalogs/catalog-objects.ts";
import { type KubernetesObject, kinds, secretText } from "#shared/domain/kubernetes/object.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { GuestError, type Guests } from "#shared/ports/external-ports.ts";
import { HubError, type HubReader, ifPermitted } from "#shared/ports/hub.ts";
import {
  kubeconfigField,
  kubeconfigName,
  mirrorPolicyName,
  operatorKubeconfigName,
} from "../well-known-names.ts";
import { kubeconfigOfUser } from "./kubeconfig-of-user.ts";

/** What the guest's own API returned, or why nothing is known about the guest. */
export type GuestSnapshot =
  /** The control plane does not publish a kubeconfig, or not yet. */
  | Readonly<{ state: "unpublished" }>
  | Readonly<{ state: "unreachable"; message: string }>
  | Readonly<{
      state: "seen";
      clusterVersion: KubernetesObject | undefined;
      digestMirrorSet: KubernetesObject | undefined;
      contentSourcePolicy: KubernetesObject | undefined;
      operatorHub: KubernetesObject | undefined;
      /** Only HyperShift's operator may write mirrors, and hubrelay does not have that operator's credentials. */
      isLocked: boolean;
      /** The admission policy that guards what the HostedCluster decides; read only in own mode. */
      configPolicy: KubernetesObject | undefined;
      /** The default CatalogSources that exist. */
      catalogSources: readonly KubernetesObject[];
    }>;

async function readGuest(
  guest: HubReader,
  { mode, isOperator }: Pick<GuestQuery, "mode"> & Readonly<{ isOperator: boolean }>,
): Promise<GuestSnapshot> {
  const policy = (name: string) =>
    mode === "own" ? guest.get(kinds.ValidatingAdmissionPolicy, name) : undefined;
  const [
    clusterVersion,
    digestMirrorSet,
    contentSourcePolicy,
    operatorHub,
    configPolicy,
    mirrorPolicy,
    ...catalogSources
  ] = await Promise.all([
    guest.get(kinds.ClusterVersion, "version"),
    guest.get(kinds.ImageDigestMirrorSet, "cluster"),
    guest.get(kinds.ImageContentSourcePolicy, "cluster"),
    guest.get(kinds.OperatorHub, "cluster"),
    policy(guardedConfigPolicy),
    policy(mirrorPolicyName),
    ...knownCatalogs.map(({ name }) => guest.get(kinds.CatalogSource, name, catalogNamespace)),
  ]);
  return {
    state: "seen",
    clusterVersion,
    digestMirrorSet,
    contentSourcePolicy,
    operatorHub,
    isLocked: mirrorPolicy !== undefined && !isOperator,
    configPolicy,
    catalogSources: catalogSources.filter((found) => found !== undefined),
  };
}

/** Selects the guest, and whether hubrelay reads it as its owner. */
export type GuestQuery = Readonly<{
  key: string;
  controlPlaneNamespace: string;
  mode: "own" | "verify";
}>;

/**
 * Reads the administrator's kubeconfig. In own mode it uses the account of HyperShift's operator if there is one:
 * the guest's admission policies refuse writes of mirrors from all others, administrators included.
 */
async function readKubeconfig(
  hub: HubReader,
  { controlPlaneNamespace, mode }: GuestQuery,
): Promise<Readonly<{ isPermitted: boolean; text: string | undefined; isOperator?: true }>> {
  const read = async (name: string) => {
    const { isPermitted, found } = await ifPermitted(hub.get(kinds.Secret, name, controlPlaneNamespace));
    return { isPermitted, text: secretText(found, kubeconfigField) };
  };
  const [admin, operator] = await Promise.all([
    read(kubeconfigName),
    mode === "own" ? read(operatorKubeconfigName) : undefined,
  ]);
  return admin.text !== undefined && operator?.text !== undefined
    ? { isPermitted: true, text: kubeconfigOfUser(admin.text, operator.text), isOperator: true }
    : admin;
}

/**
 * Reads the guest with the kubeconfig that its control plane publishes. An unreachable guest is a value, not an
 * error: the rest of the hosted cluster is reconciled without it.
 */
export async function observeGuest(
  hub: HubReader,
  guests: Guests,
  query: GuestQuery,
): Promise<GuestSnapshot> {
  const { isPermitted, text, isOperator = false } = await readKubeconfig(hub, query);
  if (!isPermitted)
    return {
      state: "unreachable",
      message: sentence`hubrelay is not permitted to read the Secret ${kubeconfigName} in ${query.controlPlaneNamespace}`,
    };
  if (text === undefined) return { state: "unpublished" };
  try {
    return await readGuest(await guests.open(query.key, text), { mode: query.mode, isOperator });
  } catch (error) {
    if (error instanceof GuestError || error instanceof HubError)
      return { state: "unreachable", message: error.message };
    throw error;
  }
}
