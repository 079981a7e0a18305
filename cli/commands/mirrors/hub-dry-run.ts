import { findStored } from "#shared/domain/crd/admit.ts";
import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { HubError, type HubReader, type RefusalCause } from "#shared/ports/hub.ts";
import { onLiveHub } from "../../io/live-hub.ts";

/** The HostedClusters of a hub, and the issues that its API server reports for new ones. */
export type HubDryRun = Readonly<{
  stored: readonly KubernetesObject[];
  issuesOf(object: KubernetesObject): readonly Issue[];
}>;

function refusal(object: KubernetesObject, { field, message }: RefusalCause): Issue {
  return fieldIssue(object, field, undefined, {
    code: "RefusedByHub",
    message,
    remedy: "The hub's API server refuses the object as it is.",
  });
}

/** A refused dry run is not an error of the object. */
function notAsked(object: KubernetesObject, { message }: HubError): Issue {
  return fieldIssue(object, "", undefined, {
    code: "HubNotAsked",
    severity: "warning",
    message: `the hub's API server was not asked: ${message}`,
    remedy: "Only hubrelay's own rules were applied; --crds DIR adds those of the CRD.",
  });
}

async function dryRun(hub: HubReader, object: KubernetesObject, stored: KubernetesObject | undefined) {
  if (!hub.dryRun) return [];
  const { namespace = "default" } = object.metadata;
  try {
    const causes = await hub.dryRun({ ...object, metadata: { ...object.metadata, namespace } }, stored);
    return causes.map((cause) => refusal(object, cause));
  } catch (error) {
    if (error instanceof HubError && (error.code === "Forbidden" || error.code === "NotFound"))
      return [notAsked(object, error)];
    throw error;
  }
}

/** Reads the HostedClusters of the live hub, and validates these with a server-side dry run. */
export function dryRunOnHub(objects: readonly KubernetesObject[]): Promise<HubDryRun> {
  return onLiveHub(async (hub) => {
    const stored = await hub.list(kinds.HostedCluster);
    const found = new Map<KubernetesObject, readonly Issue[]>();
    for (const object of objects) found.set(object, await dryRun(hub, object, findStored(object, stored)));
    return { stored, issuesOf: (object) => found.get(object) ?? [] };
  });
}
