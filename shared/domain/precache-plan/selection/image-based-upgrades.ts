import { byCodeUnit, fieldsOf, listOf, objectsOf, textOf } from "../../kubernetes/json/values.ts";
import { type KubernetesObject, namespacedName } from "../../kubernetes/object.ts";
import { storedCondition, storedConditions } from "../../precache-model/conditions.ts";
import { sentence } from "../../text/redact.ts";
import { isLeaving } from "./cluster-facts.ts";
import { readClusterSelector } from "./select-clusters.ts";

/**
 * The actions that end an ImageBasedGroupUpgrade on a cluster. Source: cluster-group-upgrades-operator,
 * controllers/imagebasedgroupupgrade.go, ensureClusterLabels.
 */
const lastActions: readonly unknown[] = ["Abort", "AbortOnFailure", "FinalizeUpgrade", "FinalizeRollback"];

type ImageBasedUpgrade = Readonly<{
  name: string;
  /**
   * True while steps of the upgrade's plan remain. The upgrade then also handles clusters that its selectors match, but
   * that are not in its status yet.
   */
  isInProgress: boolean;
  selectors: readonly unknown[];
  /** The clusters in the upgrade's status, by name. `isDone` is true after one of `lastActions`. */
  clusters: ReadonlyMap<string, Readonly<{ isDone: boolean; action: string | undefined }>>;
}>;

function readUpgrade({ metadata, spec, status }: KubernetesObject): ImageBasedUpgrade {
  const isOver = storedCondition(storedConditions(status), "Progressing")?.reason === "Completed";
  const clusters = objectsOf(fieldsOf(status).clusters).map((cluster) => {
    const { name, completedActions, currentAction } = cluster;
    const isDone = objectsOf(completedActions).some(({ action }) => lastActions.includes(action));
    return [textOf(name) ?? "", { isDone, action: textOf(fieldsOf(currentAction).action) }] as const;
  });
  return {
    name: namespacedName(metadata),
    isInProgress: !isOver,
    selectors: listOf(fieldsOf(spec).clusterLabelSelectors),
    clusters: new Map(clusters),
  };
}

/** Returns a text that changes when an ImageBasedGroupUpgrade may handle other clusters than before. */
export function handledClusters(upgrade: KubernetesObject): string {
  const { isInProgress, selectors, clusters } = readUpgrade(upgrade);
  const taken = [...clusters].map(([name, { isDone }]) => `${name} ${isDone}`).sort(byCodeUnit);
  return JSON.stringify([isLeaving(upgrade), isInProgress, selectors, taken]);
}

/**
 * Returns a function that returns a sentence about the ImageBasedGroupUpgrade that handles a cluster. If none handles
 * the cluster, this function returns undefined.
 */
export function leftToImageBasedUpgrade(
  upgrades: readonly KubernetesObject[],
): (cluster: KubernetesObject) => string | undefined {
  const handlers = upgrades
    .filter((upgrade) => !isLeaving(upgrade))
    .map((upgrade) => {
      const { selectors, ...read } = readUpgrade(upgrade);
      const usable = selectors.map(readClusterSelector).filter((selector) => "matches" in selector);
      return { ...read, selectors: usable };
    });
  return ({ metadata: { name, labels = {} } }) => {
    for (const { name: handler, isInProgress, selectors, clusters } of handlers) {
      const taken = clusters.get(name);
      const isHandled = taken
        ? !taken.isDone
        : isInProgress && selectors.some(({ matches }) => matches(labels));
      if (!isHandled) continue;
      const action = taken?.action === undefined ? "" : sentence`, now at ${taken.action}`;
      return sentence`ImageBasedGroupUpgrade ${handler} upgrades it${action}; its Prep stage pre-caches by itself.`;
    }
    return undefined;
  };
}
