import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { roleLabel } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { withOnlyPullFiles, writesPullFiles } from "#shared/domain/openshift/machine-config/pool-files.ts";
import { type HubReader, ifPermitted } from "#shared/ports/hub.ts";

/**
 * Returns the MachineConfigs that write files configuring image pulls, reduced to these files; none if reading them is
 * forbidden.
 */
export async function observeNodeFiles(hub: HubReader): Promise<readonly KubernetesObject[]> {
  const listed = hub.list(kinds.MachineConfig, {
    // Only MachineConfigs with a role are merged into a pool's; the merged ones, the largest, have none.
    withLabel: roleLabel,
    fromCache: true,
    keep: withOnlyPullFiles,
  });
  const { found = [] } = await ifPermitted(listed);
  return found.filter(writesPullFiles);
}
