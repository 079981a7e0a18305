import type { Unread } from "#shared/domain/issues/coverage.ts";
import { fieldIssue, fieldWarning, type Issue } from "#shared/domain/issues/issue.ts";
import { findStored, isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { HubError, type HubReader, type RefusalCause } from "#shared/ports/hub.ts";
import { readPoolConfigs } from "../../io/hub-objects.ts";
import { onLiveHub } from "../../io/live-hub.ts";

/** The result of dry runs on a hub. `issuesOf` returns why the hub's API server refuses a HostedCluster. */
export type HubDryRun = Readonly<{
  stored: readonly KubernetesObject[];
  /** ConfigMaps that NodePools reference and that the caller has no permission to read. */
  unread: readonly Unread[];
  issuesOf(object: KubernetesObject): readonly Issue[];
}>;

function refusal(object: KubernetesObject, { field, message }: RefusalCause): Issue {
  return fieldIssue(object, field, undefined, {
    code: "RefusedByHub",
    message,
    remedy: "The hub's API server refuses the object as it is.",
  });
}

function notAsked(object: KubernetesObject, { message }: HubError): Issue {
  return fieldWarning(object, "", undefined, {
    code: "HubNotAsked",
    message: `the hub's API server was not asked: ${message}`,
    remedy: "Only hubrelay's own rules were applied: log in with permission to write.",
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

/** Reads the live hub's HostedClusters, and validates the HostedClusters in `objects` with a dry run on the hub. */
export function dryRunOnHub(objects: readonly KubernetesObject[]): Promise<HubDryRun> {
  return onLiveHub(async (hub) => {
    const stored = await hub.list(kinds.HostedCluster);
    const found = new Map<KubernetesObject, readonly Issue[]>();
    for (const object of objects.filter((one) => isKind(kinds.HostedCluster, one)))
      found.set(object, await dryRun(hub, object, findStored(object, stored)));
    const configs = await readPoolConfigs(hub, objects);
    return {
      stored: [...stored, ...configs.objects],
      unread: configs.unread,
      issuesOf: (object) => found.get(object) ?? [],
    };
  });
}
