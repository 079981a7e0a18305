import { createHash } from "node:crypto";
import { type OutcomeEvent, outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import type { Issue } from "#shared/domain/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { firstReported, type Report } from "#shared/domain/kubernetes/report.ts";
import {
  machineConfigName,
  renderMachineConfig,
  sameContent,
} from "#shared/domain/machine-config/machine-config.ts";
import type { MirrorConfiguration } from "#shared/domain/mirrors/configuration.ts";
import type { Action, Decision } from "#shared/domain/plan.ts";
import { owner, ownerAnnotation } from "./ownership.ts";
import { reportComponent } from "./report.ts";

/** One pool with all that its decision depends on. */
export type PoolSnapshot = Readonly<{
  now: Date;
  hubId: string;
  pool: KubernetesObject;
  image: KubernetesObject;
  machineConfig: KubernetesObject | undefined;
  reports: readonly KubernetesObject[];
  configuration: MirrorConfiguration;
}>;

export type PoolPlan = Readonly<{
  decision: Decision;
  actions: readonly Action[];
  outcomes: readonly OutcomeEvent[];
  reports: readonly Report[];
  requeueAt?: Date;
}>;

/**
 * How long the owner of a MachineConfig may take to write it before a difference is drift:
 * machine-config-operator needs seconds for a burst of changes, and up to a minute between its retries.
 */
const graceSeconds = 90;

function settled(verdict: string, reason: string, { pool }: PoolSnapshot): PoolPlan {
  return {
    decision: { subject: machineConfigName(pool.metadata.name), verdict, reason },
    actions: [],
    outcomes: [],
    reports: [],
  };
}

function outcome(
  type: OutcomeEvent["type"],
  { hubId, pool, machineConfig, configuration }: PoolSnapshot,
  issues: readonly Issue[],
): OutcomeEvent {
  const { applied, leftOut, files } = configuration;
  return outcomeEvent({
    type,
    source: hubId,
    subject: machineConfigName(pool.metadata.name),
    from: machineConfig?.metadata.resourceVersion ?? "",
    data: {
      pool: pool.metadata.name,
      machineConfig: machineConfigName(pool.metadata.name),
      rules: { applied, leftOut },
      files: files.map(({ path, contents }) => ({
        path,
        bytes: Buffer.byteLength(contents),
        sha256: createHash("sha256").update(contents).digest("hex"),
      })),
      issues,
    },
  });
}

function ruleCount({ applied, leftOut }: MirrorConfiguration): string {
  return leftOut > 0 ? `${applied} rules, ${leftOut} left out` : `${applied} rules`;
}

/** Own mode: the plan that makes the pool's MachineConfig hold this configuration and nothing else of ours. */
export function planOwnPool(snapshot: PoolSnapshot): PoolPlan {
  const { pool, image, machineConfig, configuration } = snapshot;
  if (configuration.refused)
    return settled("held", "the configuration is refused; the nodes keep the last one", snapshot);

  const desired = renderMachineConfig({
    pool: pool.metadata.name,
    files: configuration.files,
    image,
    annotations: { [ownerAnnotation]: owner },
  });
  const summary = ruleCount(configuration);
  const outcomes = [outcome("dev.hubrelay.mirror-config.rendered", snapshot, configuration.issues)];
  if (!machineConfig) {
    const reason = `there is none yet; ${summary}`;
    return {
      ...settled("create", reason, snapshot),
      actions: [{ verb: "create", object: desired, reason: summary }],
      outcomes,
    };
  }
  const owned = machineConfig.metadata.annotations?.[ownerAnnotation] === owner;
  const sameOwner =
    machineConfig.metadata.ownerReferences?.length === 1 &&
    machineConfig.metadata.ownerReferences[0]?.uid === image.metadata.uid;
  if (owned && sameOwner && sameContent(machineConfig, desired))
    return settled("unchanged", `its content is what the mirror objects ask for; ${summary}`, snapshot);
  return {
    ...settled("update", `its content differs; ${summary}`, snapshot),
    actions: [{ verb: "update", object: adopt(machineConfig, desired), reason: summary }],
    outcomes,
  };
}

/** The observed object with our content: what others added to its metadata or spec stays. */
function adopt(observed: KubernetesObject, desired: KubernetesObject): KubernetesObject {
  const { labels, annotations, ownerReferences = [] } = desired.metadata;
  return {
    ...observed,
    metadata: {
      ...observed.metadata,
      labels: { ...observed.metadata.labels, ...labels },
      annotations: { ...observed.metadata.annotations, ...annotations },
      ownerReferences,
    },
    spec: { ...Object(observed.spec), ...Object(desired.spec) },
  };
}

/**
 * Verify mode: somebody else writes the MachineConfig. Says what that owner is expected to write, and when it
 * has not done so after the grace period, that the MachineConfig drifts. The Event of the expectation is the
 * memory of when it began.
 */
export function planVerifiedPool(snapshot: PoolSnapshot, ownerReason: string): PoolPlan {
  const { now, pool, image, machineConfig, configuration } = snapshot;
  if (configuration.refused)
    return settled(
      "refused",
      `${ownerReason}; it refuses the configuration, the nodes keep the old file`,
      snapshot,
    );

  const desired = renderMachineConfig({ pool: pool.metadata.name, files: configuration.files, image });
  if (machineConfig && sameContent(machineConfig, desired))
    return settled("in agreement", `${ownerReason}; it holds what the mirror objects ask for`, snapshot);

  const name = machineConfigName(pool.metadata.name);
  const expected: Report = {
    regarding: pool,
    type: "Normal",
    reason: "MachineConfigExpected",
    message: `The mirror objects ask for another ${name}; its owner is expected to write it.`,
  };
  const since = firstReported(expected, reportComponent, snapshot.reports);
  const due = new Date((since ?? now).getTime() + graceSeconds * 1000);
  if (now < due) {
    return {
      ...settled("expected", `${ownerReason}; the mirror objects ask for another content`, snapshot),
      outcomes: since ? [] : [outcome("dev.hubrelay.mirror-config.expected", snapshot, configuration.issues)],
      reports: [expected],
      requeueAt: due,
    };
  }
  const drift: Report = {
    regarding: pool,
    type: "Warning",
    reason: "MachineConfigDrift",
    message: `${name} has not held what the mirror objects ask for since ${(since ?? now).toISOString()}. Look at the log of the controller that owns it.`,
  };
  const told = firstReported(drift, reportComponent, snapshot.reports) !== undefined;
  return {
    ...settled(
      "drift",
      `${ownerReason}; it has not held what the mirror objects ask for since ${since?.toISOString()}`,
      snapshot,
    ),
    outcomes: told ? [] : [outcome("dev.hubrelay.mirror-config.drift", snapshot, configuration.issues)],
    reports: [expected, drift],
  };
}
