import { existsSync } from "node:fs";
import type { Hub, HubError } from "../../ports/hub.ts";
import type { Log } from "../../ports/log.ts";
import { type Environment, EnvironmentError } from "../settings/environment.ts";
import { hubLocation } from "../settings/hub-location.ts";
import type { KubernetesHub } from "./kubernetes/kubernetes-hub.ts";
import type { Requested } from "./kubernetes/paths.ts";

/** An opened hub. `isAllowed` and `grantsIn` are absent for a hub without permissions, such as a folder. */
export type OpenHub = Hub &
  Pick<KubernetesHub, "loginEnd" | "problem" | "close"> &
  Partial<Pick<KubernetesHub, "isAllowed" | "grantsIn">>;

/** Opens the hub that HUBRELAY_HUB names. With `actAs`, requests to a Kubernetes API impersonate this user. */
export async function openHub(
  environment: Environment,
  {
    onWatchError = () => undefined,
    log,
    actAs,
  }: Readonly<{
    onWatchError?: (error: HubError) => void;
    /** Gets an entry for each request to a Kubernetes API. */
    log?: Log;
    actAs?: string | undefined;
  }> = {},
): Promise<OpenHub> {
  const location = hubLocation(environment);
  const id = environment.HUBRELAY_HUB_ID;
  if (location.from === "directory") {
    // A mistyped path must not look like an empty hub.
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
