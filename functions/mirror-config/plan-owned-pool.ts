import { hasErrors, issueObject } from "#shared/domain/issues/issue.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { keepConfig, renderMachineConfig } from "#shared/domain/machine-config/machine-config.ts";
import { machineConfigSizeIssues } from "#shared/domain/mirrors/build/machine-config-size.ts";
import type { MirrorConfiguration } from "#shared/domain/mirrors/configuration.ts";
import { type Cost, exceeds } from "#shared/domain/node-cost/cost.ts";
import type { ChangeCost } from "#shared/domain/node-cost/cost-of-change.ts";
import { maxCostAnnotation, maxCostOf } from "#shared/domain/node-cost/max-cost.ts";
import { differingPaths, ensureObject, mergeInto } from "#shared/domain/plan/ensure-object.ts";
import { withOutcome } from "#shared/domain/plan/kept-outcomes.ts";
import type { ObjectEvent } from "#shared/domain/plan/object-events.ts";
import type { PartialPlan } from "#shared/domain/plan/partial-plan.ts";
import { operatorForm } from "#shared/domain/releases/operator-forms.ts";
import {
  type CostWindow,
  type CostWindows,
  costWindowsFor,
  costWindowText,
  waitedForAnnotation,
  waitsForWindow,
} from "#shared/domain/windows/cost-window.ts";
import { namedWindowIssues } from "#shared/domain/windows/validate-windows.ts";
import { nameOf } from "#shared/domain/windows/window-names.ts";
import { owner, ownerAnnotation } from "./ownership.ts";
import {
  type Circumstances,
  differencesOf,
  type PoolSnapshot,
  poolOutcome,
  settledPool,
} from "./pool-plan.ts";

function ruleCount({ applied, leftOut }: MirrorConfiguration): string {
  const rules = applied === 1 ? "1 rule" : `${applied} rules`;
  return leftOut > 0 ? `${rules}, ${leftOut} left out` : rules;
}

/** The API server stores other fields of a MachineConfig's spec as well, such as `kernelType`. */
function withSpecOf(present: KubernetesObject | undefined, wanted: KubernetesObject): KubernetesObject {
  if (!isRecord(present?.spec) || !isRecord(wanted.spec)) return wanted;
  return { ...wanted, spec: { ...present.spec, ...wanted.spec } };
}

/**
 * Holds a change that costs more than the pool allows: reported on the pool and once in an outcome, and written
 * later, in the maintenance window that allows it or when a user raises the limit.
 */
function holdChange(
  snapshot: PoolSnapshot,
  change: ChangeCost,
  maxCost: Cost,
  { window, problems }: CostWindows,
): PartialPlan {
  const { pool } = snapshot;
  const opensAt = window?.opensAt && new Date(window.opensAt);
  const waitsFor = opensAt ? window : undefined;
  const message = [
    `The change costs ${change.cost} and the pool allows ${maxCost}: ${change.rule.text}`,
    window && `It waits for the maintenance window ${costWindowText(window)}.`,
    problems.length > 0 && `A window that should allow it does not open: ${problems.join("; ")}.`,
    `Raise the annotation ${maxCostAnnotation} to let it go ahead${waitsFor ? " at once" : ""}.`,
  ]
    .filter(Boolean)
    .join(" ");
  const reason = waitsFor ? "WaitsForWindow" : "CostExceedsMaximum";
  const conditions = [{ type: "Held", status: "True", reason, message }];
  // Two reasons, because waiting for a user and waiting for a window each need an outcome.
  const objectEvent: ObjectEvent = {
    regarding: pool,
    ...(waitsFor
      ? { type: "Normal", reason: waitsForWindow, memory: { [waitedForAnnotation]: nameOf(waitsFor) } }
      : { type: "Warning", reason: "ChangeHeld" }),
    message,
    outcome: poolOutcome("dev.hubrelay.mirror-config.held", snapshot, change, {
      conditions,
      ...(waitsFor ? { window: waitsFor } : {}),
    }),
  };
  return {
    ...settledPool(pool, "held", message, differencesOf(change)),
    objectEvents: [objectEvent],
    ...(opensAt ? { requeueAt: opensAt } : {}),
  };
}

function allowedByWindow(window: CostWindow, { cost }: ChangeCost, maxCost: Cost): Circumstances {
  const message = `The change costs ${cost} and the pool allows ${maxCost}: it goes ahead in the maintenance window ${costWindowText(window)}.`;
  return { window, conditions: [{ type: "Held", status: "False", reason: "WindowOpen", message }] };
}

/**
 * Plans own mode: the pool's MachineConfig gets this configuration, unless that costs its nodes more than the
 * pool's annotation allows and no maintenance window for it is open.
 */
export function planOwnedPool(snapshot: PoolSnapshot): PartialPlan {
  const { pool, image, machineConfig, configuration, windows, now } = snapshot;
  if (configuration.refused)
    return settledPool(pool, "refused", "the whole configuration is refused; the nodes keep the last one");

  const rendered = renderMachineConfig({
    pool: pool.metadata.name,
    files: configuration.files,
    image,
    annotations: { [ownerAnnotation]: owner },
  });
  const { ignition } = operatorForm(configuration.releases.current);
  const kept = keepConfig(machineConfig, rendered, ignition);
  const desired = mergeInto(machineConfig, withSpecOf(machineConfig, kept));
  const summary = ruleCount(configuration);
  const { maxCost, issues: limitIssues } = maxCostOf(pool);
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
    const reason = `its content matches the mirror objects; ${summary}`;
    return { ...settledPool(pool, "unchanged", reason), issues };
  }

  const change = snapshot.change();
  const limit = maxCost && exceeds(change.cost, maxCost) ? maxCost : undefined;
  const decisive = limit && costWindowsFor(pool, change.cost, windows, now);
  const window = decisive?.window?.closesAt ? decisive.window : undefined;
  if (limit && decisive && !window) return { ...holdChange(snapshot, change, limit, decisive), issues };
  const circumstances = limit && window ? allowedByWindow(window, change, limit) : {};
  const by = window ? ` In the maintenance window ${costWindowText(window)}.` : "";
  const outcome = poolOutcome("dev.hubrelay.mirror-config.rendered", snapshot, change, circumstances);
  return {
    ...settledPool(
      pool,
      write.verb,
      `${summary}; a node's cost: ${change.cost}. ${change.rule.text}${by}`,
      differencesOf(change, differingPaths(machineConfig, desired)),
    ),
    issues,
    actions: [withOutcome(write, outcome)],
  };
}
