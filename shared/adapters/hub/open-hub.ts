import { existsSync } from "node:fs";
import type { Access } from "../../domain/kubernetes/access.ts";
import type { Hub, HubError } from "../../ports/hub.ts";
import type { Log } from "../../ports/log.ts";
import { type Environment, EnvironmentError } from "../settings/environment.ts";
import { hubLocation } from "../settings/hub-location.ts";
import type { Requested } from "./kubernetes/paths.ts";

export type OpenHub = Hub &
  Readonly<{
    /** Returns when the login ends; undefined where that is not known, or something renews it. */
    loginEnd(): Promise<Date | undefined>;
    /** Returns why the last request could not reach the hub's API, or was not let in; undefined when it was. */
    problem(): string | undefined;
    /** Reports whether the login may do this; absent where there are no rights. */
    isAllowed?(access: Access): Promise<boolean>;
    /** Returns what can be listed of the login's rights in a namespace; absent where there are no rights. */
    grantsIn?(namespace: string): Promise<readonly Access[]>;
    close(): void;
  }>;

/**
 * Opens the hub that HUBRELAY_HUB names: `directory:/path` is a folder of YAML; `kubeconfig:/path` and
 * `secretsmanager:NAME` (each with `#context`, if not the current one) and `in-cluster` (a pod's ServiceAccount) are Kubernetes APIs. HUBRELAY_HUB_ID is the source of events. `onWatchError` is called for
 * errors of a watch; the watch retries. With `actAs`, a Kubernetes API gets its requests as those of that user, whom
 * the login must be permitted to impersonate.
 */
export async function openHub(
  environment: Environment,
  {
    onWatchError = () => undefined,
    log,
    actAs,
  }: Readonly<{
    onWatchError?: (error: HubError) => void;
    /** Gets each request to a Kubernetes API. */
    log?: Log;
    actAs?: string | undefined;
  }> = {},
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
    return { ...hub, loginEnd: async () => undefined, problem: () => undefined };
  }
  const { openKubernetesHub } = await import("./kubernetes/open-kubernetes-hub.ts");
  const onRequest = log && ((requested: Requested) => log({ event: "hub-requested", ...requested }));
  return openKubernetesHub(location, { environment, id, onWatchError, onRequest, actAs });
}
