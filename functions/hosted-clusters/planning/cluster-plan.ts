import { hash } from "node:crypto";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import type { HypershiftOverrides } from "#shared/domain/hosted-clusters/overrides/hub-overrides.ts";
import type { Ownership } from "#shared/domain/hosted-clusters/ownership.ts";
import { boundedIssues, type Issue, maxListed } from "#shared/domain/issues/issue.ts";
import {
  displayName,
  type KubernetesObject,
  referenceTo,
  timestamp,
} from "#shared/domain/kubernetes/object.ts";
import type { ObjectEvent } from "#shared/domain/plan/object-events.ts";
import { type OutcomeEvent, outcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { expectationOf, type PartialPlan, settled } from "#shared/domain/plan/partial-plan.ts";
import type { Action } from "#shared/domain/plan/plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { Snapshot } from "../observe.ts";
import { eventComponent } from "../well-known-names.ts";

/** An existing hosted cluster, with everything that was read about it. */
export type Context = Snapshot &
  Readonly<{
    cluster: HostedCluster;
    hubOverrides: HypershiftOverrides;
    readIssues: readonly Issue[];
    ownership: Ownership;
  }>;

/** Reports whether hubrelay writes the cluster's objects now, and did so when the control plane was read. */
export const isPlannedAsOwned = ({ mode, ownership }: Context): boolean =>
  ownership.mode === "own" && mode === "own";

/** Returns only the actions on the hub, or only the actions in the guest. */
export const actionsIn = (where: "hub" | "guest", actions: readonly Action[]): readonly Action[] =>
  actions.filter(({ guest }) => (guest === undefined) === (where === "hub"));

/** Returns these objects as they are after the updates. */
export function afterUpdates<Present extends KubernetesObject | undefined>(
  objects: readonly Present[],
  updates: readonly Action[],
): readonly (Present | KubernetesObject)[] {
  const same = (a: KubernetesObject, b: KubernetesObject) =>
    displayName(referenceTo(a)) === displayName(referenceTo(b));
  return objects.map(
    (object) =>
      (object && updates.find(({ verb, object: updated }) => verb === "update" && same(updated, object)))
        ?.object ?? object,
  );
}

/** Returns an outcome about a hosted cluster. `from` identifies the state before the change. */
export function clusterOutcome(
  what: "changing" | "drift" | "refused",
  { hubId, key, now, cluster }: Context,
  from: string,
  data: Readonly<Record<string, unknown>>,
  issues: readonly Issue[] = [],
): OutcomeEvent {
  const { namespace, name, version } = cluster;
  return outcomeEvent({
    type: `dev.hubrelay.hosted-clusters.${what}`,
    source: hubId,
    subject: key,
    from,
    at: now,
    data: { namespace, name, version: version ?? null, ...data, ...boundedIssues(issues) },
  });
}

/** Differences that another program should remove, not hubrelay. */
export type Difference = Readonly<{
  /** The subject, such as `Guest`. The reasons of the Events begin with the subject, such as `GuestExpected`. */
  about: string;
  /** One sentence for each difference. */
  differences: readonly string[];
  owner: string;
  graceSeconds: number;
  remedy: string;
}>;

/**
 * Plans an Event about differences that another program should remove and, after the grace period, one about drift.
 * The first Event records when the period began. The period begins anew when the differences change.
 */
export function expected(
  context: Context,
  { about, differences, owner, graceSeconds, remedy }: Difference,
): PartialPlan {
  const { now, cluster, objectEvents: existing } = context;
  const subject = `${context.key} ${about}`;
  if (differences.length === 0)
    return settled(subject, "in agreement", sentence`${owner} has written what it should`, { owner });
  const distinction = hash("sha256", JSON.stringify(differences)).slice(0, 16);
  const what = differences.join(" ");
  const expectation: ObjectEvent = {
    regarding: cluster.object,
    type: "Normal",
    reason: `${about}Expected`,
    message: sentence`${owner} is expected to write: ${what}`,
    distinction,
  };
  const status = expectationOf(expectation, { component: eventComponent, existing, graceSeconds, now });
  const data = { owner, differences: differences.slice(0, maxListed), differenceCount: differences.length };
  if (!status.isDrift)
    return {
      ...settled(subject, "expected", sentence`${owner} is expected to write: ${what}`, {
        owner,
        differences,
      }),
      objectEvents: [expectation],
      requeueAt: status.due,
    };
  const { since } = status;
  const drift: ObjectEvent = {
    regarding: cluster.object,
    type: "Warning",
    reason: `${about}Drift`,
    message: sentence`${owner} has not written since ${timestamp(since)}: ${what} ${remedy}`,
    distinction,
    outcome: clusterOutcome("drift", context, distinction, { about, since: since.toISOString(), ...data }),
  };
  return {
    ...settled(subject, "drift", sentence`${owner} has not written since ${timestamp(since)}: ${what}`, {
      owner,
      differences,
    }),
    objectEvents: [expectation, drift],
  };
}
