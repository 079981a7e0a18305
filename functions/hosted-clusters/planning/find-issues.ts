import { capabilityIssues } from "#shared/domain/hosted-clusters/capabilities/capability-issues.ts";
import { readGuestCapabilities } from "#shared/domain/hosted-clusters/capabilities/cluster-version-capabilities.ts";
import { unreadableReleases } from "#shared/domain/hosted-clusters/cluster/release-images.ts";
import { imagesOf, overridesOf } from "#shared/domain/hosted-clusters/cluster-overrides.ts";
import { findTraces } from "#shared/domain/hosted-clusters/disabled-capabilities/find-traces.ts";
import { traceIssues } from "#shared/domain/hosted-clusters/disabled-capabilities/trace.ts";
import { olmCatalogs } from "#shared/domain/hosted-clusters/olm-catalogs/olm-catalogs.ts";
import { refusedContentSources } from "#shared/domain/hosted-clusters/validation/validate-hosted-cluster.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import type { PartialPlan } from "#shared/domain/plan/partial-plan.ts";
import type { Action } from "#shared/domain/plan/plan.ts";
import { repositoriesIn } from "../snapshot/find-payload.ts";
import { actionsIn, afterUpdates, type Context } from "./cluster-plan.ts";
import { capabilityInput } from "./desired.ts";

/** Issues must describe the state after the plan, because no other reconcile may follow. */
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

/** Returns the issues of a HostedCluster, and of the mirrors that apply to it, as they are after the plan. */
export function findIssues(context: Context, { actions, issues }: PartialPlan): readonly Issue[] {
  const { cluster, hubOverrides, ownership, payload } = context;
  const { object } = cluster;
  const { guest, traces } = stateAfterPlan(context, actions);
  const clusterVersion = guest.state === "seen" ? guest.clusterVersion : undefined;
  return withoutRepeats([
    ...context.readIssues,
    ...refusedContentSources(cluster),
    ...unreadableReleases(cluster),
    ...overridesOf(hubOverrides, imagesOf(cluster, repositoriesIn(payload))).issues,
    ...olmCatalogs(cluster).issues,
    ...capabilityIssues({
      hostedCluster: object,
      ...capabilityInput(context),
      ...(clusterVersion ? { guest: readGuestCapabilities(clusterVersion) } : {}),
    }),
    ...(traces ? traceIssues(object, findTraces(traces)) : []),
    ...context.accessIssues,
    ...ownership.issues,
    ...issues,
  ]);
}
