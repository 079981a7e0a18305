import type { HubError } from "../../../ports/hub.ts";
import { awsConnection } from "../../aws/aws-connection.ts";
import type { Environment } from "../../settings/environment.ts";
import type { KubeConfigPlace } from "../../settings/hub-place.ts";
import { connect } from "./connection.ts";
import type { LoadKubeConfig } from "./credentials.ts";
import { type HubInspection, inspection } from "./inspection.ts";
import { fileKubeConfig, inClusterKubeConfig, parseKubeConfig } from "./kube-config.ts";
import { type KubernetesHub, kubernetesHub } from "./kubernetes-hub.ts";
import { throttle } from "./throttle.ts";

/** A store is asked again at the earliest after so long: credentials that stay refused must not become a flood. */
const storeRestMs = 30_000;

/** How to read the kubeconfig, now and whenever its credentials are refused. AWS's clients are loaded for AWS alone. */
function kubeConfigLoader(place: KubeConfigPlace, environment: Environment): LoadKubeConfig {
  switch (place.from) {
    case "in-cluster":
      return () => inClusterKubeConfig(environment);
    case "file":
      return () => fileKubeConfig(place.path, place.context);
    case "secretsmanager":
      return async () => {
        const { readSecret } = await import("../../aws/secrets-manager.ts");
        const text = await readSecret(awsConnection(environment), place.secret);
        return parseKubeConfig(text, { name: `in the secret ${place.secret}`, context: place.context });
      };
    case "parameterstore":
      return async () => {
        const { readParameter } = await import("../../aws/parameter-store.ts");
        const text = await readParameter(awsConnection(environment), place.parameter);
        return parseKubeConfig(text, { name: `in the parameter ${place.parameter}`, context: place.context });
      };
  }
}

function isStored({ from }: KubeConfigPlace): boolean {
  return from === "secretsmanager" || from === "parameterstore";
}

/**
 * The Kubernetes API that a kubeconfig names, or the one that this pod runs on. Apart from all else, since the
 * Kubernetes client takes longer to load than the rest of a process.
 */
export async function openKubernetesHub(
  place: KubeConfigPlace,
  {
    environment,
    id,
    onTrouble,
  }: Readonly<{ environment: Environment; id: string | undefined; onTrouble: (error: HubError) => void }>,
): Promise<KubernetesHub> {
  const load = kubeConfigLoader(place, environment);
  return kubernetesHub(await load(), {
    ...(id ? { id } : {}),
    environment,
    reload: isStored(place) ? throttle(storeRestMs, load) : load,
    onTrouble: ({ error }) => onTrouble(error),
  });
}

/** The same API for questions about itself and about whoever asks. Throws `EnvironmentError` as `openHub` does. */
export async function inspectKubernetesHub(
  place: KubeConfigPlace,
  environment: Environment,
): Promise<HubInspection> {
  const load = kubeConfigLoader(place, environment);
  const settings = { userAgent: "hubrelay", requestTimeoutMs: 15_000, reload: load, environment };
  return inspection(connect(await load(), settings));
}
