import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { catalogNamespace } from "#shared/domain/hosted-clusters/olm-catalogs/catalog-objects.ts";
import { fieldsOf, isRecord, type UnknownRecord } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds, secretText } from "#shared/domain/kubernetes/object.ts";
import { parseYamlDocument } from "#shared/domain/manifests/yaml-document.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { GuestError, type Guests } from "#shared/ports/external-ports.ts";
import { HubError, type HubReader, ifPermitted } from "#shared/ports/hub.ts";
import {
  kubeconfigField,
  kubeconfigName,
  mirrorPolicyName,
  operatorKubeconfigName,
} from "../well-known-names.ts";

/** The state of a guest, or why it is unknown. */
export type GuestSnapshot =
  /** The control plane has published no kubeconfig. */
  | Readonly<{ state: "unpublished" }>
  | Readonly<{ state: "unreachable"; message: string }>
  | Readonly<{
      state: "seen";
      clusterVersion: KubernetesObject | undefined;
      digestMirrorSet: KubernetesObject | undefined;
      operatorHub: KubernetesObject | undefined;
      /** True if only HyperShift's operator may write mirrors, and hubrelay lacks the operator's credentials. */
      isLocked: boolean;
      catalogSources: readonly KubernetesObject[];
    }>;

async function readGuest(
  guest: HubReader,
  { mode, isOperator }: Pick<GuestQuery, "mode"> & Readonly<{ isOperator: boolean }>,
): Promise<GuestSnapshot> {
  const [clusterVersion, digestMirrorSet, operatorHub, mirrorPolicy, ...catalogSources] = await Promise.all([
    guest.get(kinds.ClusterVersion, "version"),
    guest.get(kinds.ImageDigestMirrorSet, "cluster"),
    guest.get(kinds.OperatorHub, "cluster"),
    mode === "own" ? guest.get(kinds.ValidatingAdmissionPolicy, mirrorPolicyName) : undefined,
    ...knownCatalogs.map(({ name }) => guest.get(kinds.CatalogSource, name, catalogNamespace)),
  ]);
  return {
    state: "seen",
    clusterVersion,
    digestMirrorSet,
    operatorHub,
    isLocked: mirrorPolicy !== undefined && !isOperator,
    catalogSources: catalogSources.filter((found) => found !== undefined),
  };
}

/** The guest to read, and the mode in which hubrelay reads it. */
export type GuestQuery = Readonly<{
  key: string;
  controlPlaneNamespace: string;
  mode: "own" | "verify";
}>;

/** The guest's admission policies let only HyperShift's operator write mirrors, and refuse even administrators. */
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

/** Reads a guest with the kubeconfig that its control plane publishes. An unreachable guest is not an error. */
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

function parsed(text: string): UnknownRecord {
  try {
    return fieldsOf(parseYamlDocument(text, { repeatedKeys: "last counts" }).value);
  } catch {
    return {}; // the client of the guest reports the error
  }
}

function current(config: UnknownRecord, list: "clusters" | "users", field: "cluster" | "user"): unknown {
  const named = (entries: unknown, name: unknown) =>
    Array.isArray(entries) ? entries.filter(isRecord).find((entry) => entry.name === name) : undefined;
  const { context } = named(config.contexts, config["current-context"]) ?? {};
  return isRecord(context) ? named(config[list], context[field])?.[field] : undefined;
}

/**
 * Returns a kubeconfig with the address in `server` and the user in `user`: the address in `user` works only in the
 * namespace of the control plane. Returns `server` unchanged if the address or the user is missing.
 */
export function kubeconfigOfUser(server: string, user: string): string {
  const parts = {
    cluster: current(parsed(server), "clusters", "cluster"),
    user: current(parsed(user), "users", "user"),
  };
  if (!parts.cluster || !parts.user) return server;
  const name = "guest";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: parts.cluster }],
    users: [{ name, user: parts.user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  });
}
