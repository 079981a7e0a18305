import type { Hub } from "../ports/hub.ts";
import { openDirectoryHub } from "./directory-hub.ts";
import { type Environment, EnvironmentError, required } from "./environment.ts";
import { fileKubeConfig, inClusterKubeConfig } from "./kubernetes-hub/kube-config.ts";
import { kubernetesHub } from "./kubernetes-hub.ts";

const examples = "directory:/mnt/hub, kubeconfig:/etc/hubrelay/kubeconfig#CONTEXT or in-cluster";

/**
 * The hub that HUBRELAY_HUB names: `directory:/path` is a folder of YAML, `kubeconfig:/path` (with `#context`, if
 * not the current one) and `in-cluster` (a pod's ServiceAccount) are Kubernetes APIs. HUBRELAY_HUB_ID is what
 * events carry as their source.
 */
export function openHub(environment: Environment): Hub {
  const hub = required(environment, "HUBRELAY_HUB", examples);
  const id = environment.HUBRELAY_HUB_ID;
  const options = id ? { id } : {};
  const [, scheme, path = "", context] = /^(directory|kubeconfig):([^#]+)(?:#(.+))?$/.exec(hub) ?? [];
  if (scheme === "directory") return openDirectoryHub(hub.slice("directory:".length), options);
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
