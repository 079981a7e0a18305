import type { Issue } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { MirrorConfiguration } from "#shared/domain/mirrors/configuration.ts";
import {
  configurePool,
  poolsOf,
  selectorIssues,
} from "#shared/domain/mirrors/effective/pool-configuration.ts";
import { isGenerated, machineConfigName } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { isPullFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { generatingPool } from "#shared/domain/openshift/machine-config/pool-files.ts";
import type { Decision, UncomparedFile } from "#shared/domain/plan/plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { Snapshot } from "./observe.ts";

type NodeFindings = Readonly<{ issues: readonly Issue[]; files: readonly UncomparedFile[] }>;

/**
 * Returns the files that people's MachineConfigs change on nodes of a built-in pool, and of custom pools with the same
 * generated MachineConfig. Also returns the issues of files, of objects without effect, and of pool selectors.
 */
export function nodeFindings(
  pool: KubernetesObject,
  {
    nodeMachineConfigs,
    customPools,
    mirrorObjects,
    image,
  }: Pick<Snapshot, "nodeMachineConfigs" | "customPools" | "mirrorObjects" | "image">,
  configuration: MirrorConfiguration,
): NodeFindings {
  const generated = machineConfigName(pool.metadata.name);
  const isByPeople = (one: KubernetesObject) => !isGenerated(one) && one.metadata.name !== generated;
  const names = new Set(nodeMachineConfigs.filter(isByPeople).map(({ metadata }) => metadata.name));
  const custom = customPools.filter(({ metadata }) => generatingPool(metadata.name) === pool.metadata.name);
  const pools = poolsOf([pool, ...custom]);
  const ofSelectors = pools.flatMap(selectorIssues);
  if (names.size === 0) return { issues: ofSelectors, files: [] };
  const input = { objects: [...mirrorObjects, ...nodeMachineConfigs], ...(image ? { image } : {}) };
  const found = pools.map((one) => {
    const { files, unread, issues } = configurePool(one, input, configuration);
    const written = files.map(({ path, writtenBy = "" }) => ({ path, machineConfig: writtenBy }));
    return {
      issues,
      files: withoutRepeats(
        [...written, ...unread]
          .filter(({ machineConfig, path }) => names.has(machineConfig) && isPullFile(path))
          .map(({ machineConfig, path }) => ({ pool: one.name, machineConfig, path })),
      ),
    };
  });
  return {
    issues: [...ofSelectors, ...found.flatMap(({ issues }) => issues)],
    files: found.flatMap(({ files }) => files),
  };
}

/** Adds to a decision the files that were not compared because people's MachineConfigs change them. */
export function comparedWithout(decision: Decision, files: readonly UncomparedFile[]): Decision {
  if (files.length === 0) return decision;
  const { verdict, reason } = decision;
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
