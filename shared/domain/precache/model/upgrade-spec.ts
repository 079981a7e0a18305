import { isRecord, isStringList } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/** The fields of a ClusterGroupUpgrade that planning needs, with the defaults that the API server would set. */
export type UpgradeSpec = Readonly<{
  preCaching: boolean;
  enable: boolean;
  /** As it is written: an object, or by mistake something else. */
  preCachingConfigRef: unknown;
  /** Undefined, which is no selection, differs from an empty list, which selects nothing. */
  clusters: readonly string[] | undefined;
  clusterSelector: readonly string[] | undefined;
  clusterLabelSelectors: readonly unknown[] | undefined;
  canaries: readonly string[];
  managedPolicies: readonly string[];
  manifestWorkTemplates: readonly string[];
  maxConcurrency: number | undefined;
}>;

/** What TALM puts on every ClusterGroupUpgrade that it sees. */
export const talmFinalizer = "ran.openshift.io/cleanup-finalizer";

/** An object's namespace; a manifest without one lands in `default` unless somebody says otherwise. */
export function namespaceOf({ metadata }: KubernetesObject): string {
  return metadata.namespace || "default";
}

const strings = (value: unknown): readonly string[] | undefined => (isStringList(value) ? value : undefined);

/** Reads `spec`; a field of another type than the API has counts as absent. */
export function readUpgradeSpec({ spec }: KubernetesObject): UpgradeSpec {
  const fields = isRecord(spec) ? spec : {};
  const strategy = isRecord(fields.remediationStrategy) ? fields.remediationStrategy : {};
  const { clusterLabelSelectors: selectors } = fields;
  return {
    preCaching: fields.preCaching === true,
    enable: fields.enable !== false,
    preCachingConfigRef: fields.preCachingConfigRef,
    clusters: strings(fields.clusters),
    clusterSelector: strings(fields.clusterSelector),
    clusterLabelSelectors: Array.isArray(selectors) ? selectors : undefined,
    canaries: strings(strategy.canaries) ?? [],
    managedPolicies: strings(fields.managedPolicies) ?? [],
    manifestWorkTemplates: strings(fields.manifestWorkTemplates) ?? [],
    maxConcurrency: typeof strategy.maxConcurrency === "number" ? strategy.maxConcurrency : undefined,
  };
}

/**
 * The same after TALM has put its finalizer on the object: what it writes back then has no empty lists, so that one which
 * selects nothing is no selection any more.
 */
export function asTalmStores(cgu: KubernetesObject): UpgradeSpec {
  const upgrade = readUpgradeSpec(cgu);
  if (cgu.metadata.finalizers?.includes(talmFinalizer)) return upgrade;
  const unlessEmpty = <Item>(list: readonly Item[] | undefined) => (list?.length === 0 ? undefined : list);
  return {
    ...upgrade,
    clusters: unlessEmpty(upgrade.clusters),
    clusterSelector: unlessEmpty(upgrade.clusterSelector),
    clusterLabelSelectors: unlessEmpty(upgrade.clusterLabelSelectors),
  };
}
