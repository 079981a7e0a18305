import type { HubError } from "../ports/hub.ts";
import type { Environment } from "./environment.ts";
import { fileKubeConfig, inClusterKubeConfig } from "./kubernetes-hub/kube-config.ts";
import { type KubernetesHub, kubernetesHub } from "./kubernetes-hub.ts";

/**
 * The Kubernetes API that a kubeconfig names, or the one that this pod runs on. Apart from all else, since the
 * Kubernetes client takes longer to load than the rest of a process.
 */
export function openKubernetesHub(
  place: "in-cluster" | Readonly<{ path: string; context: string | undefined }>,
  {
    environment,
    id,
    onTrouble,
  }: Readonly<{ environment: Environment; id: string | undefined; onTrouble: (error: HubError) => void }>,
): KubernetesHub {
  const load = () =>
    place === "in-cluster" ? inClusterKubeConfig(environment) : fileKubeConfig(place.path, place.context);
  return kubernetesHub(load(), {
    ...(id ? { id } : {}),
    environment,
    reload: load,
    onTrouble: ({ error }) => onTrouble(error),
  });
}
