import { existsSync } from "node:fs";
import type { Hub, HubError } from "../../ports/hub.ts";
import { type Environment, EnvironmentError } from "../settings/environment.ts";
import { hubLocation } from "../settings/hub-location.ts";

/**
 * `loginEnd` returns when the login ends; undefined where that is not known, or something renews it. `isLoginRejected`
 * reports whether the last response of the hub's API rejected the login.
 */
export type OpenHub = Hub &
  Readonly<{ loginEnd(): Promise<Date | undefined>; isLoginRejected(): boolean; close(): void }>;

/**
 * Opens the hub that HUBRELAY_HUB names: `directory:/path` is a folder of YAML; `kubeconfig:/path`,
 * `secretsmanager:NAME` and `parameterstore:NAME` (each with `#context`, if not the current one) and `in-cluster` (a
 * pod's ServiceAccount) are Kubernetes APIs. HUBRELAY_HUB_ID is the source of events. `onWatchError` is called for
 * errors of a watch; the watch retries. With `actAs`, a Kubernetes API gets its requests as those of that user, whom
 * the login must be permitted to impersonate.
 */
export async function openHub(
  environment: Environment,
  {
    onWatchError = () => undefined,
    actAs,
  }: Readonly<{ onWatchError?: (error: HubError) => void; actAs?: string | undefined }> = {},
): Promise<OpenHub> {
  const location = hubLocation(environment);
  const id = environment.HUBRELAY_HUB_ID;
  if (location.from === "directory") {
    // A typo must not look like a hub without objects.
    if (!existsSync(location.path))
      throw new EnvironmentError(
        `HUBRELAY_HUB is directory:${location.path}, a folder that does not exist. Fix: Correct the path, or create the folder.`,
      );
    const { openDirectoryHub } = await import("./directory/directory-hub.ts");
    const hub = openDirectoryHub(location.path, { ...(id ? { id } : {}), onWatchError });
    return { ...hub, loginEnd: async () => undefined, isLoginRejected: () => false };
  }
  const { openKubernetesHub } = await import("./kubernetes/open-kubernetes-hub.ts");
  return openKubernetesHub(location, { environment, id, onWatchError, actAs });
}
