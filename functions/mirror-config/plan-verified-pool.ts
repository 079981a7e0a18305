import { issueObject } from "#shared/domain/issues/issue.ts";
import {
  machineConfigName,
  renderMachineConfig,
  sameContent,
} from "#shared/domain/machine-config/machine-config.ts";
import { machineConfigSizeIssues } from "#shared/domain/mirrors/build/machine-config-size.ts";
import { firstSeen, type ObjectEvent } from "#shared/domain/plan/object-events.ts";
import { eventComponent } from "./event-source.ts";
import {
  differencesOf,
  differing,
  expectedCost,
  type PoolPlan,
  type PoolSnapshot,
  poolOutcome,
  settled,
} from "./pool-plan.ts";

/**
 * How long the owner of a MachineConfig may take to write it before a difference is drift:
 * machine-config-operator needs seconds for a burst of changes, and up to a minute between its retries.
 */
const graceSeconds = 90;

/**
 * Verify mode: somebody else writes the MachineConfig. Says what that owner is expected to write and what it will
 * cost, and when it has not done so after the grace period, that the MachineConfig drifts. The Event of the
 * expectation is the memory of when it began.
 */
export function planVerifiedPool(snapshot: PoolSnapshot, ownerReason: string): PoolPlan {
  const { now, pool, image, machineConfig, configuration, objectEvents } = snapshot;
  if (configuration.refused)
    return settled(
      "refused",
      `${ownerReason}; it refuses the configuration, the nodes keep the old file`,
      pool,
    );

  const desired = renderMachineConfig({ pool: pool.metadata.name, files: configuration.files, image });
  const issues = machineConfigSizeIssues(desired, configuration.entries, issueObject(pool), "warning");
  if (machineConfig && sameContent(machineConfig, desired)) {
    const reason = `${ownerReason}; it holds what the mirror objects ask for`;
    return { ...settled("in agreement", reason, pool), issues };
  }

  const name = machineConfigName(pool.metadata.name);
  const change = expectedCost(snapshot);
  const expected: ObjectEvent = {
    regarding: pool,
    type: "Normal",
    reason: "MachineConfigExpected",
    message: `The mirror objects ask for another ${name}; its owner is expected to write it. A node's cost: ${change.cost}. ${change.rule.text}`,
    outcome: poolOutcome("dev.hubrelay.mirror-config.expected", snapshot, change),
  };
  const since = firstSeen(expected, eventComponent, objectEvents);
  const due = new Date((since ?? now).getTime() + graceSeconds * 1000);
  if (!since || now < due) {
    return {
      ...differing(
        settled(
          "expected",
          `${ownerReason}; the mirror objects ask for another content, a node's cost: ${change.cost}`,
          pool,
        ),
        differencesOf(change),
      ),
      issues,
      objectEvents: [expected],
      requeueAt: due,
    };
  }
  const reason = `${ownerReason}; it has not held what the mirror objects ask for since ${since.toISOString()}`;
  const drift: ObjectEvent = {
    regarding: pool,
    type: "Warning",
    reason: "MachineConfigDrift",
    message: `${name} has not held what the mirror objects ask for since ${since.toISOString()}. Look at the log of the controller that owns it.`,
    outcome: poolOutcome("dev.hubrelay.mirror-config.drift", snapshot, change),
  };
  return {
    ...differing(settled("drift", reason, pool), differencesOf(change)),
    issues,
    objectEvents: [expected, drift],
  };
}
