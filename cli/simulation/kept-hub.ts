import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";

/** What stays on a hub: API servers delete Events after an hour, and work agents remove what has ended. */
const keptKinds = [
  kinds.ManagedCluster,
  kinds.PreCachingConfig,
  kinds.ClusterGroupUpgrade,
  kinds.PreCachingReport,
];

/** Writes what a simulated hub holds into a folder, which is then the hub of commands. There are no Events. */
export async function keepHub(hub: HubReader, directory: string): Promise<void> {
  const items = (await Promise.all(keptKinds.map((kind) => hub.list(kind)))).flat();
  await writeFile(join(directory, "hub.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
}
