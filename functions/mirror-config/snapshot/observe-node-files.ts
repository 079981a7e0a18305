import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { roleLabel } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { withOnlyPullFiles, writesPullFiles } from "#shared/domain/openshift/machine-config/pool-files.ts";
import { type HubReader, ifPermitted } from "#shared/ports/hub.ts";

/**
 * Returns the MachineConfigs that write files which configure how nodes pull images, with only these files. Where they may
 * not be read there are none.
 */
export async function observeNodeFiles(hub: HubReader): Promise<readonly KubernetesObject[]> {
  const listed = hub.list(kinds.MachineConfig, {
    // Only those with a role are merged into a pool's; the results of that are the largest.
    withLabel: roleLabel,
    fromCache: true,
    keep: withOnlyPullFiles,
  });
  const { found = [] } = await ifPermitted(listed);
  return found.filter(writesPullFiles);
}
