import { type LeaseName, parseLeaseName } from "../../runtime/forwarder/lease-candidate.ts";
import { type Environment, EnvironmentError, required } from "./environment.ts";

/** Returns the Lease that HUBRELAY_LEASE names. Undefined if not set. Throws `EnvironmentError` if it is invalid. */
export function leaseSetting({ HUBRELAY_LEASE: text }: Environment): LeaseName | undefined {
  if (!text) return undefined;
  const lease = parseLeaseName(text);
  if (lease) return lease;
  throw new EnvironmentError("HUBRELAY_LEASE is invalid; it should be like hubrelay/hubrelay-forwarder.");
}

/** The place from which a kubeconfig is read. `context` is used instead of the kubeconfig's current context. */
export type KubeConfigLocation =
  | Readonly<{ from: "in-cluster" }>
  | Readonly<{ from: "file"; path: string; context: string | undefined }>
  /** A secret of AWS Secrets Manager, by name or ARN. */
  | Readonly<{ from: "secretsmanager"; secret: string; context: string | undefined }>;

type HubLocation = Readonly<{ from: "directory"; path: string }> | KubeConfigLocation;

const examples =
  "directory:/mnt/hub, kubeconfig:/etc/hubrelay/kubeconfig#CONTEXT, in-cluster or secretsmanager:NAME";

/** Returns the folder that HUBRELAY_HUB names. Undefined if it names no folder. */
export function hubFolder({ HUBRELAY_HUB: text = "" }: Environment): string | undefined {
  return /^directory:(.+)$/s.exec(text)?.[1];
}

/** Reads HUBRELAY_HUB. Throws `EnvironmentError` if it is not set or invalid. */
export function hubLocation(environment: Environment): HubLocation {
  const text = required(environment, "HUBRELAY_HUB", examples);
  if (text === "in-cluster") return { from: "in-cluster" };
  const path = hubFolder(environment);
  if (path !== undefined) return { from: "directory", path };
  const [, scheme, name = "", context] = /^(kubeconfig|secretsmanager):([^#]+)(?:#(.+))?$/.exec(text) ?? [];
  switch (scheme) {
    case "kubeconfig":
      return { from: "file", path: name, context };
    case "secretsmanager":
      return { from: "secretsmanager", secret: name, context };
    default:
      throw new EnvironmentError(`HUBRELAY_HUB has no adapter; it should be like ${examples}.`);
  }
}
