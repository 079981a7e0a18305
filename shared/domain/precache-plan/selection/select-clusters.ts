import { byCodeUnit } from "../../kubernetes/json/values.ts";
import { readLabelSelector, selects } from "../../kubernetes/label-selector.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { UpgradeSpec } from "../../precache-model/upgrade-spec.ts";
import { sentence } from "../../text/redact.ts";

type Labels = Readonly<Record<string, string>>;

/** A label selector as a function that reports whether it matches labels, or the `error` of an invalid selector. */
export type Selector = Readonly<{ matches: (labels: Labels) => boolean } | { error: string }>;

/** Returns the selector in an entry of `clusterLabelSelectors`. An empty selector matches every cluster. */
export function readClusterSelector(selector: unknown): Selector {
  const read = readLabelSelector(selector);
  if ("selector" in read) return { matches: (labels) => selects(read.selector, labels) };
  const { field, message } = read.error;
  return { error: [field, message].filter(Boolean).join(": ") };
}

/** Reads a selector such as `key=value`; without `=`, it matches clusters whose label has an empty value. */
function readSelectorEntry(entry: string): Extract<Selector, { matches: unknown }> | undefined {
  const [key = "", value = "", ...more] = entry.split("=");
  if (more.length > 0) return undefined;
  return { matches: (labels) => selects([{ key, operator: "In", values: [value] }], labels) };
}

type Culprit = Readonly<{ path: string; value: unknown; remedy: string }>;

/** The selected clusters in order, or why the selection is invalid, in TALM's words. */
export type SelectedClusters =
  | Readonly<{
      ok: true;
      clusters: readonly KubernetesObject[];
      ignored: readonly string[];
      /** Names of selected clusters that are no longer managed. */
      gone: readonly string[];
    }>
  | Readonly<{ ok: false; message: string; culprit: Culprit }>;

const remedy = "Name managed clusters, or select them by labels that they have.";

function refused(message: string, culprit: Partial<Culprit> = {}): SelectedClusters {
  return { ok: false, message, culprit: { path: "spec", value: undefined, remedy, ...culprit } };
}

/**
 * Returns the selected clusters: the named clusters in order, then the others sorted by name. A named cluster that does
 * not exist makes the selection invalid or, with `wereSelected`, is skipped.
 */
export function selectClusters(
  { clusters: names, clusterSelector, clusterLabelSelectors, canaries }: UpgradeSpec,
  managedClusters: readonly KubernetesObject[],
  wereSelected = false,
): SelectedClusters {
  if (!names && !clusterSelector && !clusterLabelSelectors)
    return refused(
      "cannot obtain all the details about the clusters in the CR: no cluster specified for remediation",
    );
  const byName = new Map(managedClusters.map((cluster) => [cluster.metadata.name, cluster]));
  const entries = (clusterSelector ?? []).map((entry) => ({ entry, selector: readSelectorEntry(entry) }));
  const selectors = (clusterLabelSelectors ?? []).map(readClusterSelector);
  for (const [index, selector] of selectors.entries())
    if ("error" in selector)
      return refused(
        sentence`cannot obtain all the details about the clusters in the CR: ${selector.error}`,
        {
          path: `spec.clusterLabelSelectors[${index}]`,
          value: clusterLabelSelectors?.[index],
          remedy: "Give matchLabels and matchExpressions as Kubernetes has them; {} is every cluster.",
        },
      );

  const usable = [...entries.flatMap(({ selector }) => selector ?? []), ...selectors].filter(
    (selector) => "matches" in selector,
  );
  const matched = managedClusters
    .filter(({ metadata }) => usable.some(({ matches }) => matches(metadata.labels ?? {})))
    .map(({ metadata }) => metadata.name)
    .sort(byCodeUnit);
  const selected = [...new Set([...(names ?? []), ...matched])];

  const missing = selected.filter((name) => !byName.has(name));
  const [firstMissing] = missing;
  if (firstMissing !== undefined && !wereSelected)
    return refused(sentence`cluster ${firstMissing} is not a ManagedCluster`, {
      path: "spec.clusters",
      value: missing,
    });
  const unselected = canaries.find((canary) => !selected.includes(canary));
  if (unselected !== undefined)
    return refused(sentence`canary cluster ${unselected} is not in the list of clusters`, {
      path: "spec.remediationStrategy.canaries",
      value: unselected,
      remedy: "Remove it from the canaries, or select the cluster as well.",
    });
  return {
    ok: true,
    clusters: selected.flatMap((name) => byName.get(name) ?? []),
    gone: missing,
    ignored: entries.flatMap(({ entry, selector }) => (selector ? [] : [entry])),
  };
}
