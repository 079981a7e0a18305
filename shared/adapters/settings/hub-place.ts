import { type Environment, EnvironmentError, required } from "./environment.ts";

/** Where the kubeconfig of a Kubernetes API comes from; `context` is another one than its current context. */
export type KubeConfigPlace =
  | Readonly<{ from: "in-cluster" }>
  | Readonly<{ from: "file"; path: string; context: string | undefined }>
  /** A secret of AWS Secrets Manager, by name or ARN. */
  | Readonly<{ from: "secretsmanager"; secret: string; context: string | undefined }>
  /** A parameter of AWS Systems Manager's Parameter Store, by name or ARN. */
  | Readonly<{ from: "parameterstore"; parameter: string; context: string | undefined }>;

/** Where the hub is: a folder of YAML, or a Kubernetes API. */
export type HubPlace = Readonly<{ from: "directory"; path: string }> | KubeConfigPlace;

const examples =
  "directory:/mnt/hub, kubeconfig:/etc/hubrelay/kubeconfig#CONTEXT, in-cluster, secretsmanager:NAME or parameterstore:/NAME";

/** What HUBRELAY_HUB says; throws `EnvironmentError` when it is absent or cannot be understood. */
export function hubPlace(environment: Environment): HubPlace {
  const text = required(environment, "HUBRELAY_HUB", examples);
  if (text === "in-cluster") return { from: "in-cluster" };
  if (text.startsWith("directory:") && text.length > "directory:".length)
    return { from: "directory", path: text.slice("directory:".length) };
  const [, scheme, where = "", context] =
    /^(kubeconfig|secretsmanager|parameterstore):([^#]+)(?:#(.+))?$/.exec(text) ?? [];
  switch (scheme) {
    case "kubeconfig":
      return { from: "file", path: where, context };
    case "secretsmanager":
      return { from: "secretsmanager", secret: where, context };
    case "parameterstore":
      return { from: "parameterstore", parameter: where, context };
    default:
      throw new EnvironmentError(`HUBRELAY_HUB has no adapter; it should be like ${examples}.`);
  }
}
