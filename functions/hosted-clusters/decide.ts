import { capabilityIssues } from "#shared/domain/hosted-clusters/capabilities/capability-issues.ts";
import { readCapabilityChoice } from "#shared/domain/hosted-clusters/capabilities/cluster-version-capabilities.ts";
import { readGuestCapabilities } from "#shared/domain/hosted-clusters/capabilities/guest-capabilities.ts";
import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { unreadableReleases } from "#shared/domain/hosted-clusters/cluster/release-images.ts";
import { imagesOf } from "#shared/domain/hosted-clusters/cluster-images.ts";
import { overridesOf } from "#shared/domain/hosted-clusters/cluster-overrides.ts";
import { findTraces } from "#shared/domain/hosted-clusters/disabled-capabilities/find-traces.ts";
import { traceIssues } from "#shared/domain/hosted-clusters/disabled-capabilities/trace.ts";
import { hubMirrorsIssues, passedOnIssues } from "#shared/domain/hosted-clusters/hub-mirrors.ts";
import { nodePoolsOf } from "#shared/domain/hosted-clusters/nodes/node-pool.ts";
import { nodePoolReleaseIssues } from "#shared/domain/hosted-clusters/nodes/node-pool-issues.ts";
import { olmCatalogs } from "#shared/domain/hosted-clusters/olm-catalogs/olm-catalogs.ts";
import { readManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import { ownershipOf } from "#shared/domain/hosted-clusters/ownership.ts";
import { refusedContentSources } from "#shared/domain/hosted-clusters/validation/unusable.ts";
import { unusedTuning } from "#shared/domain/hosted-clusters/validation/unused-tuning.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { displayName, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { keptOutcomes } from "#shared/domain/plan/kept-outcomes.ts";
import {
  eventsOf,
  issueEvents,
  type ObjectEvent,
  planObjectEvents,
  withRefusal,
} from "#shared/domain/plan/object-events.ts";
import { mergePlans, nothing, type PartialPlan, settled } from "#shared/domain/plan/partial-plan.ts";
import type { Action, Plan } from "#shared/domain/plan/plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { clockProblem } from "#shared/domain/windows/clock.ts";
import { eventComponent, eventLabels } from "./event-source.ts";
import type { Snapshot } from "./observe.ts";
import { planUpgradeReport } from "./planning/announced-upgrade.ts";
import { decidedFrom } from "./planning/basis.ts";
import { type Context, clusterOutcome } from "./planning/cluster-plan.ts";
import { capabilitiesOf } from "./planning/desired.ts";
import { planDerivedFields } from "./planning/plan-derived-fields.ts";
import { planOwnedCluster } from "./planning/plan-owned-cluster.ts";
import { planVerifiedCluster } from "./planning/plan-verified-cluster.ts";
import { repositoriesIn } from "./snapshot/find-payload.ts";
import { mirrorFingerprintEvent } from "./snapshot/mirror-fingerprint.ts";

const actionsIn = (where: "hub" | "guest", actions: readonly Action[]): readonly Action[] =>
  actions.filter(({ guest }) => (guest === undefined) === (where === "hub"));

function afterUpdates<Present extends KubernetesObject | undefined>(
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

/**
 * Returns the guest and traces as the plan leaves them. hubrelay must not warn about what it is about to fix, and a
 * warning that its own update causes belongs to this reconcile, because nothing else may trigger another.
 */
function stateAfterPlan(context: Context, actions: readonly Action[]): Pick<Context, "guest" | "traces"> {
  const { guest, traces } = context;
  const inGuest = actionsIn("guest", actions);
  return {
    guest:
      guest.state === "seen"
        ? { ...guest, clusterVersion: afterUpdates([guest.clusterVersion], inGuest)[0] }
        : guest,
    traces: traces && {
      ...traces,
      controlPlane: afterUpdates(traces.controlPlane, actionsIn("hub", actions)),
      guest: traces.guest && afterUpdates(traces.guest, inGuest),
    },
  };
}

/** Reports the errors in the HostedCluster, its NodePools, and the mirrors that apply to it. */
function findIssues(context: Context, read: readonly Issue[], actions: readonly Action[]): readonly Issue[] {
  const { cluster, mirrors, nodePools, payload } = context;
  const { guest, traces } = stateAfterPlan(context, actions);
  const clusterVersion = guest.state === "seen" ? guest.clusterVersion : undefined;
  return [
    ...read,
    ...refusedContentSources(cluster),
    ...unreadableReleases(cluster),
    ...nodePoolsOf(cluster, nodePools).flatMap(nodePoolReleaseIssues),
    ...overridesOf(mirrors, imagesOf(cluster, repositoriesIn(payload))).issues,
    ...olmCatalogs(cluster, cluster.version).issues,
    ...capabilityIssues({
      hostedCluster: cluster.object,
      choice: readCapabilityChoice(cluster.capabilities),
      version: cluster.controlPlaneVersion,
      capabilities: capabilitiesOf(context),
      ...(clusterVersion ? { guest: readGuestCapabilities(clusterVersion) } : {}),
    }),
    ...unusedTuning(cluster, nodePools),
    ...(traces ? traceIssues(cluster.object, findTraces(traces)) : []),
    ...context.accessIssues,
  ];
}

/**
 * Returns the Event about the cluster's mirrors, which records what this decision was derived from: a tick reconciles the
 * cluster only when that has changed. What only registries know is read again at every tick until they respond, and what
 * waits for a window is decided again until the clock agrees with the hub's.
 */
function mirrorsEvent(context: Context, { actions, requeueAt }: PartialPlan): ObjectEvent {
  const { cluster, controlPlane, findings, mirrors, mode, now, nodePools, payload, windows } = context;
  const [hostedCluster = cluster.object] = afterUpdates([cluster.object], actionsIn("hub", actions));
  const { hostedControlPlane, operator, overridesReaders } = controlPlane;
  const inControlPlane = [hostedControlPlane, operator, ...overridesReaders];
  const basis = {
    hostedCluster,
    mode,
    controlPlane: inControlPlane.filter((object) => object !== undefined),
    nodePools: nodePoolsOf(cluster, nodePools).map(({ object }) => object),
    windows,
  };
  const isComplete = payload.state !== "unknown" && findings.state !== "incomplete" && !clockProblem(context);
  const event = mirrorFingerprintEvent(cluster, mirrors, repositoriesIn(payload));
  return {
    ...event,
    memory: { ...event.memory, ...decidedFrom(basis, { now, due: requeueAt, isComplete }) },
  };
}

/** Reports why the location of the release's images is unknown: every source may then apply to the cluster. */
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

/**
 * Returns the plan for a hosted cluster: what hubrelay writes, what HyperShift is expected to write, an Event for
 * each issue, and the outcomes. Pure; deciding again after the plan was applied returns no actions.
 */
export function decide(snapshot: Snapshot): Plan {
  const { hostedCluster, hypershiftOperator, key, objectEvents, now } = snapshot;
  if (!hostedCluster) return planDeletedCluster(snapshot);
  const { cluster, issues: readIssues } = readHostedCluster(hostedCluster);
  const context: Context = { ...snapshot, cluster, mirrors: readManagementMirrors(snapshot.mirrorObjects) };
  const ownership = ownershipOf(hostedCluster, hypershiftOperator);
  const { mode } = ownership;
  const partialPlan = mergePlans(
    planDerivedFields(context),
    planUpgradeReport(context),
    reportUnknownPayload(context),
    // If the owner changed since the control plane was read, that change causes another reconcile.
    mode === "own" && snapshot.mode === "own"
      ? planOwnedCluster(context, ownership.reason)
      : planVerifiedCluster(context, ownership),
  );
  const issues = withoutRepeats([
    ...findIssues(context, readIssues, partialPlan.actions),
    ...ownership.issues,
    ...hubMirrorsIssues(hostedCluster),
    ...(mode === "verify" ? passedOnIssues(hostedCluster) : []),
    ...partialPlan.issues,
  ]);
  const onCluster = issues.filter(({ object }) => object.kind === "HostedCluster");
  const onNodePools = issues.filter(({ object }) => object.kind === "NodePool");
  const wanted = [
    mirrorsEvent(context, partialPlan),
    ...issueEvents([...onCluster, ...onNodePools], [hostedCluster, ...snapshot.nodePools]),
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
      ...withRefusal(eventActions, { actions: partialPlan.actions, issues: onCluster }, (from) =>
        clusterOutcome("refused", context, from, {}, onCluster),
      ),
      ...actionsIn("guest", partialPlan.actions),
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
