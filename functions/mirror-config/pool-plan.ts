import { hash } from "node:crypto";
import { changeText } from "#shared/domain/diff/change-text.ts";
import type { ChangeCost } from "#shared/domain/diff/node-cost/cost-of-change.ts";
import { boundedIssues, maxListed } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { MirrorConfiguration } from "#shared/domain/mirrors/configuration.ts";
import { machineConfigName } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { type OutcomeEvent, outcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { type PartialPlan, settled } from "#shared/domain/plan/partial-plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { Clock } from "#shared/domain/windows/clock.ts";
import type { Circumstances } from "#shared/domain/windows/held-change.ts";

/** One pool with everything that its decision depends on. */
export type PoolSnapshot = Readonly<{
  now: Date;
  clockAheadSeconds?: Clock["clockAheadSeconds"];
  hubId: string;
  pool: KubernetesObject;
  image: KubernetesObject;
  machineConfig: KubernetesObject | undefined;
  /** The Kubernetes Events that this function has written. */
  objectEvents: readonly KubernetesObject[];
  configuration: MirrorConfiguration;
  /** Returns what the nodes of the pool will do when the files of the configuration replace the present ones. */
  change: () => ChangeCost;
  /** The MaintenanceWindows of the hub. */
  windows: readonly KubernetesObject[];
}>;

/**
 * Returns a plan with one decision about a pool's MachineConfig and no actions. `differences` is what the MachineConfig
 * should have and does not.
 */
export function settledPool(
  pool: KubernetesObject,
  verdict: string,
  reason: string,
  differences?: readonly string[],
): PartialPlan {
  return settled(machineConfigName(pool.metadata.name), verdict, reason, differences ? { differences } : {});
}

/** Returns the changes behind a cost as differences; without a changed file, the fields of the object that differ. */
export function differencesOf(
  { changes }: ChangeCost,
  fields: readonly string[] = ["spec.config"],
): readonly string[] {
  return changes.length > 0
    ? changes.map(changeText)
    : [sentence`The files are up to date; what differs is ${fields.join(", ")}.`];
}

/** Returns the outcome event about a pool: applied rules, written files, cost and issues. */
export function poolOutcome(
  type: OutcomeEvent["type"],
  { now, hubId, pool, machineConfig, configuration }: PoolSnapshot,
  { cost, actions, rule, changes }: ChangeCost,
  { conditions = [], window }: Circumstances = {},
): OutcomeEvent {
  const { applied, leftOut, files, issues } = configuration;
  const name = machineConfigName(pool.metadata.name);
  return outcomeEvent({
    type,
    source: hubId,
    subject: name,
    from: machineConfig?.metadata.resourceVersion ?? "",
    at: now,
    data: {
      pool: pool.metadata.name,
      machineConfig: name,
      rules: { applied, leftOut },
      files: files.map(({ path, contents }) => ({
        path,
        bytes: Buffer.byteLength(contents),
        sha256: hash("sha256", contents),
      })),
      cost: { cost, actions, rule, changes: changes.slice(0, maxListed) },
      conditions,
      ...(window ? { window } : {}),
      ...boundedIssues(issues),
    },
  });
}
