import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { overridesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/hub-overrides.ts";
import { ownershipOf } from "#shared/domain/hosted-clusters/ownership.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { keptOutcomes } from "#shared/domain/plan/kept-outcomes.ts";
import { eventsOf, issueEvents, planObjectEvents, withRefusal } from "#shared/domain/plan/object-events.ts";
import { mergePlans, nothing, type PartialPlan, settled } from "#shared/domain/plan/partial-plan.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { Snapshot } from "./observe.ts";
import { mirrorsEvent } from "./planning/basis.ts";
import { actionsIn, type Context, clusterOutcome } from "./planning/cluster-plan.ts";
import { findIssues } from "./planning/find-issues.ts";
import { planDerivedFields } from "./planning/plan-derived-fields.ts";
import { planOwnedCluster } from "./planning/plan-owned-cluster.ts";
import { planVerifiedCluster } from "./planning/plan-verified-cluster.ts";
import { eventComponent, eventLabels } from "./well-known-names.ts";

const phases: readonly ((context: Context) => PartialPlan)[] = [
  planDerivedFields,
  reportUnknownPayload,
  planOwnedCluster,
  planVerifiedCluster,
];

function reportUnknownPayload({ key, payload }: Context): PartialPlan {
  return payload.state === "unknown"
    ? settled(sentence`${key} Release images`, "unknown", payload.problems.join("; "))
    : nothing;
}

function planDeletedCluster({ key, objectEvents, now }: Snapshot): Plan {
  const labels = eventLabels(key);
  const actions = planObjectEvents({
    objectEvents: [],
    existing: objectEvents,
    component: eventComponent,
    labels,
    now,
  });
  const decision = { subject: key, verdict: "gone", reason: "the HostedCluster does not exist" };
  return { decisions: [decision], issues: [], actions };
}

function contextOf(snapshot: Snapshot & Readonly<{ hostedCluster: KubernetesObject }>): Context {
  const { hostedCluster, hypershiftOperator, mirrorObjects } = snapshot;
  const { cluster, issues: readIssues } = readHostedCluster(hostedCluster);
  return {
    ...snapshot,
    cluster,
    readIssues,
    hubOverrides: overridesLikeHypershift(mirrorObjects),
    ownership: ownershipOf(hostedCluster, hypershiftOperator),
  };
}

/** Returns the plan for a hosted cluster. Pure; deciding again after the plan was applied returns no actions. */
export function decide(snapshot: Snapshot): Plan {
  const { hostedCluster, key, objectEvents, now } = snapshot;
  if (!hostedCluster) return planDeletedCluster(snapshot);
  const context = contextOf({ ...snapshot, hostedCluster });
  const partialPlan = mergePlans(...phases.map((phase) => phase(context)));
  const issues = findIssues(context, partialPlan);
  const onCluster = issues.filter(({ object }) => object.kind === "HostedCluster");
  const wanted = [
    mirrorsEvent(context, partialPlan),
    ...issueEvents(onCluster, [hostedCluster]),
    ...partialPlan.objectEvents,
  ];
  const eventActions = planObjectEvents({
    objectEvents: wanted,
    existing: objectEvents,
    component: eventComponent,
    labels: eventLabels(key),
    now,
  });
  return {
    decisions: partialPlan.decisions,
    issues,
    actions: [
      ...actionsIn("hub", partialPlan.actions),
      // The Event is last: after a conflict about it, this reconcile writes the guest again from newer reads.
      ...actionsIn("guest", partialPlan.actions),
      ...withRefusal(eventActions, { actions: partialPlan.actions, issues: onCluster }, (from) =>
        clusterOutcome("refused", context, from, {}, onCluster),
      ),
    ],
    standing: () =>
      keptOutcomes([hostedCluster, ...eventsOf(wanted, eventComponent, objectEvents)], {
        source: context.hubId,
        type: "dev.hubrelay.hosted-clusters.",
        subjects: [context.key],
      }),
    ...(partialPlan.requeueAt ? { requeueAt: partialPlan.requeueAt } : {}),
    ...(partialPlan.again ? { again: true } : {}),
  };
}
