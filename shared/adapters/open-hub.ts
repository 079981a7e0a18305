import type { Hub } from "../ports/hub.ts";
import { openDirectoryHub } from "./directory-hub.ts";
import { type Environment, EnvironmentError, required } from "./environment.ts";

const directoryScheme = "directory:";

/**
 * The hub that HUBRELAY_HUB names: `directory:/path` is a folder of YAML. HUBRELAY_HUB_ID is what events carry as
 * their source.
 */
export function openHub(environment: Environment): Hub {
  const hub = required(environment, "HUBRELAY_HUB", `${directoryScheme}/mnt/hub`);
  const id = environment.HUBRELAY_HUB_ID;
  if (hub.startsWith(directoryScheme))
    return openDirectoryHub(hub.slice(directoryScheme.length), id ? { id } : {});
  throw new EnvironmentError(`HUBRELAY_HUB has no adapter; it should be like ${directoryScheme}/mnt/hub.`);
}
