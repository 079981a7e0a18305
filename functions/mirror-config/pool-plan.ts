import { hash } from "node:crypto";
import { changeText } from "#shared/domain/diff/change-text.ts";
import type { ChangeCost } from "#shared/domain/diff/node-cost/cost-of-change.ts";
import { boundedIssues, hasErrors, issueObject, maxListed } from "#shared/domain/issues/issue.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, timestamp } from "#shared/domain/kubernetes/object.ts";
import type { MirrorConfiguration } from "#shared/domain/mirrors/configuration.ts";
import { machineConfigSizeIssues } from "#shared/domain/mirrors/written-files.ts";
import {
  isOfRole,
  keepConfig,
  machineConfigName,
  renderMachineConfig,
  sameContent,
} from "#shared/domain/openshift/machine-config/machine-config.ts";
import { assumedForm } from "#shared/domain/openshift/releases/machine-config-operator.ts";
import { maxCostOf } from "#shared/domain/plan/cost.ts";
import { differingPaths, ensureObject, mergeInto } from "#shared/domain/plan/ensure-object.ts";
import { withOutcome } from "#shared/domain/plan/kept-outcomes.ts";
import type { ObjectEvent } from "#shared/domain/plan/object-events.ts";
import { type OutcomeEvent, outcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { expectationOf, type PartialPlan, settled } from "#shared/domain/plan/partial-plan.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { Clock } from "#shared/domain/windows/clock.ts";
import { costWindowText } from "#shared/domain/windows/cost-window.ts";
import {
  type Circumstances,
  permissionFor,
  planHeldChange,
  writtenCircumstances,
} from "#shared/domain/windows/held-change.ts";
import { namedWindowIssues } from "#shared/domain/windows/validate-windows.ts";
import { type Ownership, owner, ownerAnnotation } from "./ownership.ts";
import { eventComponent } from "./watches.ts";

/** A pool, with all inputs of the decision about it. */
export type PoolSnapshot = Readonly<{
  now: Date;
  clockAheadSeconds?: Clock["clockAheadSeconds"];
  hubId: string;
  pool: KubernetesObject;
  image: KubernetesObject;
  machineConfig: KubernetesObject | undefined;
  objectEvents: readonly KubernetesObject[];
  configuration: MirrorConfiguration;
  /** Returns the cost for a node of the pool when the files of `configuration` replace the files of `machineConfig`. */
  change: () => ChangeCost;
  windows: readonly KubernetesObject[];
}>;

/** Returns a plan with one decision about the pool's MachineConfig, and without actions. */
export function settledPool(
  pool: KubernetesObject,
  verdict: string,
  reason: string,
  differences?: readonly string[],
): PartialPlan {
  return settled(machineConfigName(pool.metadata.name), verdict, reason, differences ? { differences } : {});
}

/** Returns the changes of files as texts or, if no file has changed, one text with the fields that differ. */
export function differencesOf(
  { changes }: ChangeCost,
  fields: readonly string[] = ["spec.config"],
): readonly string[] {
  return changes.length > 0
    ? changes.map(changeText)
    : [sentence`The files are up to date; what differs is ${fields.join(", ")}.`];
}

/** Returns the outcome about a pool: its applied rules, its written files, the cost and the issues. */
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

/** Keeps the fields of the present spec that the API server has added, such as `kernelType`. */
function withSpecOf(present: KubernetesObject | undefined, wanted: KubernetesObject): KubernetesObject {
  if (!isRecord(present?.spec) || !isRecord(wanted.spec)) return wanted;
  return { ...wanted, spec: { ...present.spec, ...wanted.spec } };
}

/** Plans own mode: hubrelay writes the pool's MachineConfig, at once or in a maintenance window. */
export function planOwnedPool(snapshot: PoolSnapshot): PartialPlan {
  const { pool, image, machineConfig, configuration, windows } = snapshot;
  const { ignition } = configuration;
  if (configuration.refused)
    return settledPool(
      pool,
      "refused",
      "the configuration has errors, so nothing of it is written; the nodes keep the last one",
    );

  const rendered = renderMachineConfig({
    pool: pool.metadata.name,
    files: configuration.files,
    image,
    annotations: { [ownerAnnotation]: owner },
    ignition,
  });
  const kept = keepConfig(machineConfig, rendered, ignition);
  const desired = mergeInto(machineConfig, withSpecOf(machineConfig, kept));
  const summary = counted(configuration.applied, "rule");
  const { issues: limitIssues } = maxCostOf(pool);
  const sizeIssues = machineConfigSizeIssues(desired, issueObject(pool));
  const issues = [...limitIssues, ...namedWindowIssues(pool, windows), ...sizeIssues];
  if (hasErrors(sizeIssues))
    return {
      ...settledPool(pool, "held", "it would exceed the size limit of the API", [
        "It would exceed the size limit of the API.",
      ]),
      issues,
    };
  const [write] = ensureObject(machineConfig, desired, summary);
  if (!write) {
    const reason = sentence`its content matches the mirror objects; ${summary}`;
    return { ...settledPool(pool, "unchanged", reason), issues };
  }

  const change = snapshot.change();
  const limited = { pool, ...change };
  const permission = permissionFor(pool, change.cost, snapshot);
  const differences = differencesOf(change, differingPaths(machineConfig, desired));
  if (permission.isHeld) {
    const held = planHeldChange(limited, permission, {
      subject: desired.metadata.name,
      differences,
      outcomeOf: (circumstances) =>
        poolOutcome("dev.hubrelay.mirror-config.held", snapshot, change, circumstances),
    });
    return { ...held, issues };
  }
  const { window } = permission;
  const by = window ? sentence` In the maintenance window ${costWindowText(window)}.` : "";
  const outcome = poolOutcome(
    "dev.hubrelay.mirror-config.rendered",
    snapshot,
    change,
    writtenCircumstances(limited, permission),
  );
  return {
    ...settledPool(
      pool,
      write.verb,
      sentence`${summary}; a node's cost: ${change.cost}. ${change.rule.text}${by}`,
      differences,
    ),
    issues,
    actions: [withOutcome(write, outcome)],
  };
}

/** The time until a difference is drift: machine-config-operator pauses for up to a minute between retries. */
const graceSeconds = 90;

/** Plans verify mode: hubrelay writes only Events, for example about drift. */
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
  const issues = machineConfigSizeIssues(desired, issueObject(pool), "warning");
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
