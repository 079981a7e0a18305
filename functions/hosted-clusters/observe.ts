import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { type ClusterSnapshot, observeCluster } from "./observe/observe-cluster.ts";
import { type MirrorsSnapshot, observeMirrors } from "./observe/observe-mirrors.ts";
import { mirrorsKey } from "./watches.ts";

/** What one reconcile reads: a hosted cluster with its dependencies, or the mirrors and all hosted clusters. */
export type Snapshot = ClusterSnapshot | MirrorsSnapshot;

export function observe(hub: HubReader, key: string, now: Date, external: ExternalPorts): Promise<Snapshot> {
  return key === mirrorsKey ? observeMirrors(hub, now) : observeCluster(hub, key, now, external);
}
