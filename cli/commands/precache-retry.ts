import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { plannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import { retryAnnotation } from "#shared/domain/precache/progress/retry.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";
import { exitCodes } from "../exit-codes.ts";
import { changeLiveHub } from "../live-hub.ts";
import { UsageError } from "../usage-error.ts";

export type PrecacheRetryOptions = Readonly<{ cluster?: readonly string[]; failed?: boolean }>;

const attempts = 10;

async function find(hub: Hub, named: string): Promise<KubernetesObject> {
  const found = (await hub.list(kinds.ClusterGroupUpgrade)).filter(
    ({ metadata }) => named === metadata.name || named === `${metadata.namespace}/${metadata.name}`,
  );
  const [cgu] = found;
  if (!cgu) throw new UsageError(`There is no ClusterGroupUpgrade ${named}.`);
  if (found.length > 1)
    throw new UsageError(`Several namespaces have a ${named}; name one as namespace/name.`);
  return cgu;
}

function checkClusters(cgu: KubernetesObject, clusters: readonly string[]): void {
  const planned = plannedUpgrade(cgu);
  if (!planned) throw new UsageError(`${cgu.metadata.name} is not pre-cached by hubrelay.`);
  const unknown = clusters.find((cluster) => !planned.clusters.includes(cluster));
  if (unknown) throw new UsageError(`${cgu.metadata.name} does not pre-cache ${unknown}.`);
}

/**
 * `hubrelay precache retry`: asks for another attempt on clusters that have ended, by the annotation on their
 * ClusterGroupUpgrade. What an earlier call asked for, and is not under way yet, stays asked for.
 */
export async function precacheRetry(
  named: string,
  { cluster = [], failed = false }: PrecacheRetryOptions,
): Promise<number> {
  if (cluster.length > 0 && failed) throw new UsageError("--cluster and --failed exclude each other.");
  const wanted = cluster.length > 0 ? cluster : ["failed"];
  await changeLiveHub(async (hub) => {
    for (let attempt = 1; ; attempt++) {
      const cgu = await find(hub, named);
      checkClusters(cgu, cluster);
      const asked = cgu.metadata.annotations?.[retryAnnotation]?.split(",") ?? [];
      const text = [...new Set([...asked, ...wanted])].join(",");
      const annotations = { ...cgu.metadata.annotations, [retryAnnotation]: text };
      try {
        await hub.update({ ...cgu, metadata: { ...cgu.metadata, annotations } });
        return;
      } catch (error) {
        if (!(error instanceof HubError && error.code === "Conflict") || attempt >= attempts) throw error;
      }
    }
  });
  console.log(`${named}: another attempt is asked for: ${wanted.join(", ")}`);
  return exitCodes.fine;
}
