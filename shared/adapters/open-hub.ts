import type { Hub, HubError } from "../ports/hub.ts";
import { openDirectoryHub } from "./directory-hub.ts";
import { type Environment, EnvironmentError, required } from "./environment.ts";
import type { WatchTrouble } from "./kubernetes-hub/kind-watch.ts";
import { fileKubeConfig, inClusterKubeConfig } from "./kubernetes-hub/kube-config.ts";
import { kubernetesHub } from "./kubernetes-hub.ts";

const examples = "directory:/mnt/hub, kubeconfig:/etc/hubrelay/kubeconfig#CONTEXT or in-cluster";

/**
 * The hub that HUBRELAY_HUB names: `directory:/path` is a folder of YAML, `kubeconfig:/path` (with `#context`, if
 * not the current one) and `in-cluster` (a pod's ServiceAccount) are Kubernetes APIs. HUBRELAY_HUB_ID is what
 * events carry as their source. `onTrouble` is told of trouble that a watch is in; it tries again by itself.
 */
export function openHub(
  environment: Environment,
  { onTrouble = () => undefined }: Readonly<{ onTrouble?: (error: HubError) => void }> = {},
): Hub {
  const hub = required(environment, "HUBRELAY_HUB", examples);
  const id = environment.HUBRELAY_HUB_ID;
  const named = id ? { id } : {};
  const options = { ...named, onTrouble: ({ error }: WatchTrouble) => onTrouble(error) };
  const [, scheme, path = "", context] = /^(directory|kubeconfig):([^#]+)(?:#(.+))?$/.exec(hub) ?? [];
  if (scheme === "directory")
    return openDirectoryHub(hub.slice("directory:".length), { ...named, onTrouble });
  if (scheme === "kubeconfig") {
    const load = () => fileKubeConfig(path, context);
    return kubernetesHub(load(), { ...options, environment, reload: load });
  }
  if (hub === "in-cluster")
    return kubernetesHub(inClusterKubeConfig(environment), {
      ...options,
      environment,
      reload: () => inClusterKubeConfig(environment),
    });
  throw new EnvironmentError(`HUBRELAY_HUB has no adapter; it should be like ${examples}.`);
}
