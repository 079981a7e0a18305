import { fieldsOf, isStringList } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/** The fields of a ClusterGroupUpgrade that planning needs, with the defaults that the API server would set. */
export type UpgradeSpec = Readonly<{
  preCaching: boolean;
  enable: boolean;
  /** As written: an object, or another type by mistake. */
  preCachingConfigRef: unknown;
  /** Undefined means no selection; an empty list selects nothing. */
  clusters: readonly string[] | undefined;
  clusterSelector: readonly string[] | undefined;
  clusterLabelSelectors: readonly unknown[] | undefined;
  canaries: readonly string[];
  managedPolicies: readonly string[];
  manifestWorkTemplates: readonly string[];
  maxConcurrency: number | undefined;
}>;

/** The finalizer that TALM adds to every ClusterGroupUpgrade that it reconciles. */
export const talmFinalizer = "ran.openshift.io/cleanup-finalizer";

const strings = (value: unknown): readonly string[] | undefined => (isStringList(value) ? value : undefined);

/** Reads `spec`; a field of another type counts as absent. */
export function readUpgradeSpec({ spec }: KubernetesObject): UpgradeSpec {
  const fields = fieldsOf(spec);
  const strategy = fieldsOf(fields.remediationStrategy);
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
 * Reads `spec` as it is after TALM has added its finalizer: TALM writes it back without empty lists, so that an empty
 * selection becomes no selection.
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
