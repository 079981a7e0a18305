import { guardedConfigPolicy } from "#shared/domain/hosted-clusters/absence/ingress-rule.ts";
import { catalogNamespace } from "#shared/domain/hosted-clusters/olm-catalogs/catalog-objects.ts";
import { defaultCatalogs } from "#shared/domain/hosted-clusters/olm-catalogs/default-catalogs.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { secretText } from "#shared/domain/kubernetes/secret-text.ts";
import { kubeconfigOfUser } from "#shared/domain/manifests/kubeconfig-of-user.ts";
import { GuestError, type Guests } from "#shared/ports/guests.ts";
import { HubError, type HubReader } from "#shared/ports/hub.ts";
import {
  kubeconfigField,
  kubeconfigName,
  mirrorPolicyName,
  operatorKubeconfigName,
} from "../well-known-names.ts";
import { ifPermitted } from "./if-permitted.ts";

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
      /** Its admission policies let nobody but HyperShift's operator write mirrors, and hubrelay does not come as that. */
      isLocked: boolean;
      /** The admission policy that guards what the HostedCluster decides; read by the owner alone. */
      configPolicy: KubernetesObject | undefined;
      /** The default CatalogSources that exist. */
      catalogSources: readonly KubernetesObject[];
    }>;

async function readGuest(
  guest: HubReader,
  { mode, isOperator }: Pick<GuestQuestion, "mode"> & Readonly<{ isOperator: boolean }>,
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
    ...defaultCatalogs.map(({ name }) => guest.get(kinds.CatalogSource, name, catalogNamespace)),
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

/** Whose guest, and as its owner or not. */
export type GuestQuestion = Readonly<{
  key: string;
  controlPlaneNamespace: string;
  mode: "own" | "verify";
}>;

/**
 * The way into the guest: an administrator's. Its owner comes as HyperShift's own operator does, where that has an
 * account: the guest's admission policies refuse everybody else's writes of mirrors, an administrator's as well.
 */
async function readKubeconfig(
  hub: HubReader,
  { controlPlaneNamespace, mode }: GuestQuestion,
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
 * Looks at the guest with the kubeconfig that its control plane publishes. A guest that does not answer is a value,
 * not a failure: the hosted cluster's other affairs go on without it.
 */
export async function observeGuest(
  hub: HubReader,
  guests: Guests,
  question: GuestQuestion,
): Promise<GuestSnapshot> {
  const { isPermitted, text, isOperator = false } = await readKubeconfig(hub, question);
  if (!isPermitted)
    return {
      state: "unreachable",
      message: `hubrelay may not read the Secret ${kubeconfigName} in ${question.controlPlaneNamespace}`,
    };
  if (text === undefined) return { state: "unpublished" };
  try {
    return await readGuest(await guests.open(question.key, text), { mode: question.mode, isOperator });
  } catch (error) {
    if (error instanceof GuestError || error instanceof HubError)
      return { state: "unreachable", message: error.message };
    throw error;
  }
}
