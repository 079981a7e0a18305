import { findTraces } from "#shared/domain/hosted-clusters/absence/find-traces.ts";
import { traceIssues } from "#shared/domain/hosted-clusters/absence/trace-issues.ts";
import { capabilityIssues } from "#shared/domain/hosted-clusters/capabilities/capability-issues.ts";
import { readGuestCapabilities } from "#shared/domain/hosted-clusters/capabilities/guest-capabilities.ts";
import { readCapabilityChoice } from "#shared/domain/hosted-clusters/capabilities/resolve.ts";
import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { imagesOf } from "#shared/domain/hosted-clusters/cluster-images.ts";
import { overridesOf } from "#shared/domain/hosted-clusters/cluster-overrides.ts";
import { olmCatalogs } from "#shared/domain/hosted-clusters/olm-catalogs/olm-catalogs.ts";
import { readManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import { unusedTuning } from "#shared/domain/hosted-clusters/validation/unused-tuning.ts";
import { hasErrors, type Issue } from "#shared/domain/issues/issue.ts";
import { displayName, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { issueEvents } from "#shared/domain/plan/issue-events.ts";
import { keptOutcomes } from "#shared/domain/plan/kept-outcomes.ts";
import { eventsOf, planObjectEvents, withLastOutcome } from "#shared/domain/plan/object-events.ts";
import type { Action, Plan } from "#shared/domain/plan/plan.ts";
import { eventComponent, eventLabels } from "../event-source.ts";
import { repositoriesIn } from "../observe/find-payload.ts";
import { mirrorFingerprintEvent } from "../observe/mirror-fingerprint.ts";
import type { ClusterSnapshot } from "../observe/observe-cluster.ts";
import { ownershipOf, takeOverAnnotation } from "../ownership.ts";
import { announceUpgrade } from "./announced-upgrade.ts";
import {
  type Context,
  clusterOutcome,
  mergePlans,
  nothing,
  type PartialPlan,
  settled,
} from "./cluster-plan.ts";
import { capabilitiesOf } from "./desired.ts";
import { planDerivedFields } from "./plan-derived-fields.ts";
import { planOwnedCluster } from "./plan-owned-cluster.ts";
import { planVerifiedCluster } from "./plan-verified-cluster.ts";

/** The actions on the hub, or those in the guest's own API. */
const actionsIn = (where: "hub" | "guest", actions: readonly Action[]): readonly Action[] =>
  actions.filter(({ guest }) => (guest === undefined) === (where === "hub"));

/** The objects as the updates leave them. */
function afterUpdates<Present extends KubernetesObject | undefined>(
  objects: readonly Present[],
  updates: readonly Action[],
): readonly (Present | KubernetesObject)[] {
  const same = (one: KubernetesObject, other: KubernetesObject) =>
    displayName(referenceTo(one)) === displayName(referenceTo(other));
  return objects.map(
    (object) =>
      (object && updates.find(({ verb, object: updated }) => verb === "update" && same(updated, object)))
        ?.object ?? object,
  );
}

/**
 * What is judged once the plan was applied: what hubrelay is about to set right is nobody's mistake, and a warning
 * that its own update brings about belongs to this reconcile, because nothing else may cause another.
 */
function afterPlan(one: Context, actions: readonly Action[]): Pick<Context, "guest" | "traces"> {
  const { guest, traces } = one;
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

/** What is wrong with what people wrote: in the HostedCluster, its NodePools, and the mirrors that concern it. */
function findIssues(one: Context, read: readonly Issue[], actions: readonly Action[]): readonly Issue[] {
  const { cluster, mirrors, nodePools, payload } = one;
  const { guest, traces } = afterPlan(one, actions);
  const clusterVersion = guest.state === "seen" ? guest.clusterVersion : undefined;
  return [
    ...read,
    ...overridesOf(mirrors, imagesOf(cluster, repositoriesIn(payload))).issues,
    ...olmCatalogs(cluster, cluster.version).issues,
    ...capabilityIssues({
      hostedCluster: cluster.object,
      choice: readCapabilityChoice(cluster.capabilities),
      version: cluster.version,
      capabilities: capabilitiesOf(one),
      ...(clusterVersion ? { guest: readGuestCapabilities(clusterVersion) } : {}),
    }),
    ...unusedTuning(cluster, nodePools),
    ...(traces ? traceIssues(cluster.object, findTraces(traces)) : []),
    ...one.accessIssues,
  ];
}

function identity({ code, object, path, value, message }: Issue): string {
  return JSON.stringify([code, object, path, value, message]);
}

function distinct(issues: readonly Issue[]): readonly Issue[] {
  return [...new Map(issues.map((issue) => [identity(issue), issue])).values()];
}

/** Why nobody knows where the images of its releases are, so that every source may concern it. */
function unknownPayload({ key, payload }: Context): PartialPlan {
  return payload.state === "unknown"
    ? settled(`${key} Release images`, "unknown", payload.problems.join("; "))
    : nothing;
}

/** What own mode writes, of the control plane and in the guest. */
function writtenObjects({ controlPlane, guest }: Context): readonly KubernetesObject[] {
  const { hostedControlPlane, operator, imageStream, ignitionConfig, settings } = controlPlane;
  const inControlPlane = [hostedControlPlane, operator, imageStream, ignitionConfig, ...settings];
  const inGuest =
    guest.state === "seen"
      ? [
          guest.clusterVersion,
          guest.digestMirrorSet,
          guest.operatorHub,
          guest.configPolicy,
          ...guest.catalogSources,
        ]
      : [];
  return [...inControlPlane, ...inGuest].filter((object) => object !== undefined);
}

/** A hosted cluster that is gone: what was told about it goes as well. */
function forget({ key, objectEvents, now }: ClusterSnapshot): Plan {
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
 * From one look at a hosted cluster to what should happen: what hubrelay writes for it, what HyperShift is expected
 * to write, an Event for each mistake, an outcome for each change. Pure; deciding again after the plan was applied
 * gives no actions.
 */
export function decideCluster(snapshot: ClusterSnapshot): Plan {
  const { hostedCluster, hypershiftOperator, key, objectEvents, now } = snapshot;
  if (!hostedCluster) return forget(snapshot);
  const { cluster, issues: readIssues } = readHostedCluster(hostedCluster);
  const one: Context = { ...snapshot, cluster, mirrors: readManagementMirrors(snapshot.mirrorObjects) };
  const { mode, reason, issues: ownerIssues } = ownershipOf(hostedCluster, hypershiftOperator);
  const isTakenOver = cluster.annotations[takeOverAnnotation] === "true";
  const part = mergePlans(
    planDerivedFields(one),
    announceUpgrade(one),
    unknownPayload(one),
    // Another owner since the control plane was read: the change that made it so comes as a message of its own.
    mode === "own" && snapshot.mode === "own"
      ? planOwnedCluster(one, reason, isTakenOver)
      : planVerifiedCluster(one, reason),
  );
  const issues = distinct([...findIssues(one, readIssues, part.actions), ...ownerIssues, ...part.issues]);
  const onCluster = issues.filter(({ object }) => object.kind === "HostedCluster");
  const onNodePools = issues.filter(({ object }) => object.kind === "NodePool");
  const wanted = [
    mirrorFingerprintEvent(cluster, one.mirrors, repositoriesIn(one.payload)),
    ...issueEvents([...onCluster, ...onNodePools], [hostedCluster, ...snapshot.nodePools]),
    ...part.objectEvents,
  ];
  const eventActions = planObjectEvents({
    objectEvents: wanted,
    existing: objectEvents,
    component: eventComponent,
    labels: eventLabels(key),
    now,
  });
  const isReported = [...part.actions, ...eventActions].some(({ outcomes }) => outcomes);
  const from = eventActions.map(({ object }) => object.metadata.resourceVersion ?? "").join();
  const refusal =
    hasErrors(onCluster) && !isReported ? clusterOutcome("refused", one, from, {}, onCluster) : undefined;
  return {
    decisions: part.decisions,
    issues,
    actions: [
      ...actionsIn("hub", part.actions),
      ...(refusal ? withLastOutcome(eventActions, refusal) : eventActions),
      ...actionsIn("guest", part.actions),
    ],
    standing: () =>
      keptOutcomes(
        [hostedCluster, ...writtenObjects(one), ...eventsOf(wanted, eventComponent, objectEvents)],
        {
          source: one.hubId,
          type: "dev.hubrelay.hosted-clusters.",
          subjects: [one.key],
        },
      ),
    ...(part.requeueAt ? { requeueAt: part.requeueAt } : {}),
    ...(part.again ? { again: true } : {}),
  };
}
