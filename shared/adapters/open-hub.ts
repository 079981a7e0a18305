import type { Hub, HubError } from "../ports/hub.ts";
import { openDirectoryHub } from "./directory-hub.ts";
import { type Environment, EnvironmentError, required } from "./environment.ts";

const examples = "directory:/mnt/hub, kubeconfig:/etc/hubrelay/kubeconfig#CONTEXT or in-cluster";

/**
 * The hub that HUBRELAY_HUB names: `directory:/path` is a folder of YAML, `kubeconfig:/path` (with `#context`, if
 * not the current one) and `in-cluster` (a pod's ServiceAccount) are Kubernetes APIs. HUBRELAY_HUB_ID is what
 * events carry as their source. `onTrouble` is told of trouble that a watch is in; it tries again by itself.
 */
export async function openHub(
  environment: Environment,
  { onTrouble = () => undefined }: Readonly<{ onTrouble?: (error: HubError) => void }> = {},
): Promise<Hub & Readonly<{ close(): void }>> {
  const hub = required(environment, "HUBRELAY_HUB", examples);
  const id = environment.HUBRELAY_HUB_ID;
  const [, scheme, path = "", context] = /^(directory|kubeconfig):([^#]+)(?:#(.+))?$/.exec(hub) ?? [];
  if (scheme === "directory")
    return openDirectoryHub(hub.slice("directory:".length), { ...(id ? { id } : {}), onTrouble });
  const place = hub === "in-cluster" ? hub : scheme === "kubeconfig" ? { path, context } : undefined;
  if (!place) throw new EnvironmentError(`HUBRELAY_HUB has no adapter; it should be like ${examples}.`);
  const { openKubernetesHub } = await import("./open-kubernetes-hub.ts");
  return openKubernetesHub(place, { environment, id, onTrouble });
}
