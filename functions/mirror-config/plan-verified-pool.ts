import { issueObject } from "#shared/domain/issues/issue.ts";
import { timestamp } from "#shared/domain/kubernetes/object.ts";
import { machineConfigSizeIssues } from "#shared/domain/mirrors/node-config/machine-config-size.ts";
import {
  isOfRole,
  machineConfigName,
  renderMachineConfig,
  sameContent,
} from "#shared/domain/openshift/machine-config/machine-config.ts";
import { assumedForm } from "#shared/domain/openshift/releases/machine-config-operator.ts";
import type { ObjectEvent } from "#shared/domain/plan/object-events.ts";
import { expectationOf, type PartialPlan } from "#shared/domain/plan/partial-plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { eventComponent } from "./event-source.ts";
import type { Ownership } from "./ownership.ts";
import { differencesOf, type PoolSnapshot, poolOutcome, settledPool } from "./pool-plan.ts";

/**
 * The grace period before a difference is drift: machine-config-operator needs seconds for a burst of changes, and
 * up to a minute between its retries.
 */
const graceSeconds = 90;

/**
 * Plans verify mode: reports what the other owner of the MachineConfig is expected to write and its cost, and drift
 * if that has not happened within the grace period. The Event about the expectation records when it began.
 */
export function planVerifiedPool(
  snapshot: PoolSnapshot,
  { reason: evidence, writer }: Pick<Ownership, "reason" | "writer">,
): PartialPlan {
  const { now, pool, image, machineConfig, configuration, objectEvents } = snapshot;
  const { files, ignition, releases } = configuration;
  const assumed = assumedForm(releases);
  const ownerReason = assumed === undefined ? evidence : `${evidence} (${assumed})`;
  const [follower, remedy] =
    writer === "unknown"
      ? [evidence, sentence`hubrelay only verifies it: ${evidence}.`]
      : ["its owner is expected to write it", "Check the log of the controller that owns it."];
  if (configuration.refused)
    return settledPool(
      pool,
      "refused",
      sentence`${ownerReason}; machine-config-operator refuses the configuration, the nodes keep the old file`,
    );

  const desired = renderMachineConfig({ pool: pool.metadata.name, files, image, ignition });
  const issues = machineConfigSizeIssues(desired, configuration, issueObject(pool), "warning");
  if (machineConfig && isOfRole(machineConfig, pool.metadata.name) && sameContent(machineConfig, desired)) {
    const reason = sentence`${ownerReason}; it matches the mirror objects`;
    return { ...settledPool(pool, "in agreement", reason), issues };
  }

  const name = machineConfigName(pool.metadata.name);
  const change = snapshot.change();
  const expected: ObjectEvent = {
    regarding: pool,
    isLasting: true,
    type: "Normal",
    reason: "MachineConfigExpected",
    message: sentence`The mirror objects require a different ${name}; ${follower}. A node's cost: ${change.cost}. ${change.rule.text}`,
    outcome: poolOutcome("dev.hubrelay.mirror-config.expected", snapshot, change),
  };
  const status = expectationOf(expected, {
    component: eventComponent,
    existing: objectEvents,
    graceSeconds,
    now,
  });
  if (!status.isDrift) {
    const reason = sentence`${ownerReason}; the mirror objects require different content, a node's cost: ${change.cost}`;
    return {
      ...settledPool(pool, "expected", reason, differencesOf(change)),
      issues,
      objectEvents: [expected],
      requeueAt: status.due,
    };
  }
  const { since } = status;
  const reason = sentence`${ownerReason}; it has not matched the mirror objects since ${timestamp(since)}`;
  const drift: ObjectEvent = {
    regarding: pool,
    isLasting: true,
    type: "Warning",
    reason: "MachineConfigDrift",
    message: sentence`${name} has not matched the mirror objects since ${timestamp(since)}. ${remedy}`,
    outcome: poolOutcome("dev.hubrelay.mirror-config.drift", snapshot, change),
  };
  return {
    ...settledPool(pool, "drift", reason, differencesOf(change)),
    issues,
    objectEvents: [expected, drift],
  };
}
