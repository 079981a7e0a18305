import { manifest } from "#functions/mirror-config/manifest.ts";
import { isGenerated } from "#functions/mirror-config/ownership.ts";
import { sentence } from "#shared/domain/credentials/redact.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  isMachineConfigName,
  machineConfigName,
  roleLabel,
} from "#shared/domain/machine-config/machine-config.ts";
import { generatingPool, poolFiles } from "#shared/domain/machine-config/pool-files.ts";
import { poolsOf } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import type { Decision, UncomparedFile } from "#shared/domain/plan/plan.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Verification } from "#shared/runtime/verify.ts";
import { nodesOfObjects } from "../mirrors/explained-nodes.ts";
import { mirrorInputKinds } from "../mirrors/mirror-input.ts";

/** Returns the files that pools have from MachineConfigs other than those of machine-config-operator and hubrelay. */
function uncomparedFiles(objects: readonly KubernetesObject[]): readonly UncomparedFile[] {
  const machineConfigs = objects.filter((object) => isKind(kinds.MachineConfig, object));
  const others = machineConfigs.filter(
    (object) => !isGenerated(object) && !isMachineConfigName(object.metadata.name),
  );
  const names = new Set(others.map(({ metadata }) => metadata.name));
  return poolsOf(objects).flatMap((pool) => {
    const { files, unread } = poolFiles(pool, machineConfigs);
    const written = files.map(({ path, writtenBy = "" }) => ({ path, machineConfig: writtenBy }));
    return [...written, ...unread]
      .filter(({ machineConfig }) => names.has(machineConfig))
      .map(({ machineConfig, path }) => ({ pool: pool.name, machineConfig, path }));
  });
}

function comparedWithout(decision: Decision, all: readonly UncomparedFile[]): Decision {
  const { subject, verdict, reason } = decision;
  const files = all.filter(({ pool }) => machineConfigName(generatingPool(pool)) === subject);
  if (files.length === 0) return decision;
  const without = files.map(
    ({ machineConfig, path, pool }) => sentence`${path} of MachineConfig ${machineConfig} on pool ${pool}`,
  );
  return {
    ...decision,
    verdict: verdict === "in agreement" ? "compared in part" : verdict,
    reason: sentence`compared without ${without.join(", ")}; ${reason}`,
    comparedWithout: files,
  };
}

/**
 * Adds to what mirror-config compared, which is the generated MachineConfigs, what other MachineConfigs change on the nodes:
 * files in the decisions about pools, and objects without an effect as issues.
 */
export async function withUncomparedFiles(
  hub: HubReader,
  verifications: readonly Verification[],
): Promise<readonly Verification[]> {
  const isAffected = (one: Verification) => one.function === manifest.name;
  if (!verifications.some(isAffected)) return verifications;
  const [machineConfigs, pools] = await Promise.all([
    hub.list(kinds.MachineConfig, { withLabel: roleLabel }),
    hub.list(kinds.MachineConfigPool),
  ]);
  const files = uncomparedFiles([...machineConfigs, ...pools]);
  if (files.length === 0) return verifications;
  const clusterVersion = await hub.get(kinds.ClusterVersion, "version");
  const others = mirrorInputKinds.filter((kind) => kind !== kinds.ClusterVersion);
  const inputs = await Promise.all(others.map((kind) => hub.list(kind)));
  const objects = [
    ...inputs.flat(),
    ...(clusterVersion ? [clusterVersion] : []),
    ...machineConfigs,
    ...pools,
  ];
  const { overridden } = await nodesOfObjects(objects, {});
  return verifications.map((one) =>
    isAffected(one)
      ? {
          ...one,
          decisions: one.decisions.map((decision) => comparedWithout(decision, files)),
          issues: [...one.issues, ...overridden],
        }
      : one,
  );
}
