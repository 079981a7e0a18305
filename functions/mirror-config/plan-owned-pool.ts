import { hasErrors, issueObject } from "#shared/domain/issues/issue.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { machineConfigSizeIssues } from "#shared/domain/mirrors/node-config/machine-config-size.ts";
import { keepConfig, renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { maxCostOf } from "#shared/domain/plan/cost.ts";
import { differingPaths, ensureObject, mergeInto } from "#shared/domain/plan/ensure-object.ts";
import { withOutcome } from "#shared/domain/plan/kept-outcomes.ts";
import type { PartialPlan } from "#shared/domain/plan/partial-plan.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { costWindowText } from "#shared/domain/windows/cost-window.ts";
import { permissionFor, planHeldChange, writtenCircumstances } from "#shared/domain/windows/held-change.ts";
import { namedWindowIssues } from "#shared/domain/windows/validate-windows.ts";
import { owner, ownerAnnotation } from "./ownership.ts";
import { differencesOf, type PoolSnapshot, poolOutcome, settledPool } from "./pool-plan.ts";

/** The API server stores other fields of a MachineConfig's spec as well, such as `kernelType`. */
function withSpecOf(present: KubernetesObject | undefined, wanted: KubernetesObject): KubernetesObject {
  if (!isRecord(present?.spec) || !isRecord(wanted.spec)) return wanted;
  return { ...wanted, spec: { ...present.spec, ...wanted.spec } };
}

/**
 * Plans own mode: the pool's MachineConfig gets this configuration, unless that costs its nodes more than the
 * pool's annotation allows and no maintenance window for it is open.
 */
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
  const sizeIssues = machineConfigSizeIssues(desired, configuration, issueObject(pool));
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
  const limited = { object: pool, ...change };
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
