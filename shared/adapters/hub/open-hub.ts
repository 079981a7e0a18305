import type { Hub, HubError } from "../../ports/hub.ts";
import type { Environment } from "../settings/environment.ts";
import { hubPlace } from "../settings/hub-place.ts";
import { openDirectoryHub } from "./directory/directory-hub.ts";

/**
 * The hub that HUBRELAY_HUB names: `directory:/path` is a folder of YAML; `kubeconfig:/path`, `secretsmanager:NAME`
 * and `parameterstore:NAME` (each with `#context`, if not the current one) and `in-cluster` (a pod's ServiceAccount)
 * are Kubernetes APIs. HUBRELAY_HUB_ID is what events carry as their source. `onTrouble` is told of trouble that a
 * watch is in; it tries again by itself.
 */
export async function openHub(
  environment: Environment,
  { onTrouble = () => undefined }: Readonly<{ onTrouble?: (error: HubError) => void }> = {},
): Promise<Hub & Readonly<{ close(): void }>> {
  const place = hubPlace(environment);
  const id = environment.HUBRELAY_HUB_ID;
  if (place.from === "directory") return openDirectoryHub(place.path, { ...(id ? { id } : {}), onTrouble });
  const { openKubernetesHub } = await import("./kubernetes/open-kubernetes-hub.ts");
  return openKubernetesHub(place, { environment, id, onTrouble });
}
