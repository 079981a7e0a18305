import { objectsOf, textOf } from "../json/values.ts";

/** What the history of a ClusterVersion says, or that of a HostedCluster's `status.version`. */
export type VersionHistory = Readonly<{
  /** The version of the newest completed update: what the cluster runs. */
  completed: string | undefined;
  /** The versions of updates that began after it, the newest first. Their operators may run already. */
  begun: readonly string[];
}>;

/** Reads `history`, which lists the newest update first. */
export function readVersionHistory(history: unknown): VersionHistory {
  const updates = objectsOf(history);
  const newest = updates.findIndex(({ state }) => state === "Completed");
  const begun = newest < 0 ? updates : updates.slice(0, newest);
  return {
    completed: textOf(updates[newest]?.version),
    begun: begun.flatMap(({ version }) => textOf(version) ?? []),
  };
}
