import { byCodeUnit, fieldsOf, isRecord, textOf } from "#shared/domain/kubernetes/json/values.ts";
import {
  byNamespaceAndName,
  isKind,
  type Kind,
  type KubernetesObject,
  kinds,
} from "#shared/domain/kubernetes/object.ts";

/*
 * The kinds that oc-mirror v2 writes to working-dir/cluster-resources. Source: openshift/oc-mirror,
 * internal/pkg/clusterresources, 2026-08. v1 writes ImageContentSourcePolicies to oc-mirror-workspace/results-TIME.
 */

/** The steps in which objects are applied. Nothing is applied in `wait`: every pool has to be updated first. */
export const waves = [
  { name: "signatures", kinds: [kinds.ConfigMap] },
  {
    name: "mirrors",
    kinds: [kinds.ImageDigestMirrorSet, kinds.ImageTagMirrorSet, kinds.ImageContentSourcePolicy],
  },
  { name: "wait", kinds: [] },
  { name: "catalogs", kinds: [kinds.CatalogSource, kinds.ClusterCatalog] },
  { name: "update-service", kinds: [kinds.UpdateService] },
] as const satisfies readonly Readonly<{ name: string; kinds: readonly Kind[] }>[];
export type Wave = (typeof waves)[number]["name"];

/** Returns the index of the step in which an object is applied; undefined for a kind that oc-mirror does not write. */
export function waveOf(object: KubernetesObject): number | undefined {
  const index = waves.findIndex((wave) => wave.kinds.some((kind) => isKind(kind, object)));
  return index < 0 ? undefined : index;
}

/** The annotations that oc-mirror changes in every run. */
const volatile = new Set(["createdAt"]);

/** The fields with lists of rules. oc-mirror writes the rules in random order, which has no effect on nodes. */
const ruleLists = ["imageDigestMirrors", "imageTagMirrors", "repositoryDigestMirrors"] as const;

const sourceOf = (rule: unknown): string => textOf(fieldsOf(rule).source) ?? "";

function withSortedRules(spec: unknown): unknown {
  if (!isRecord(spec)) return spec;
  const sorted = ruleLists.flatMap((list) => {
    const rules = spec[list];
    return Array.isArray(rules)
      ? [[list, [...rules].sort((a, b) => byCodeUnit(sourceOf(a), sourceOf(b)))] as const]
      : [];
  });
  return { ...spec, ...Object.fromEntries(sorted) };
}

/** Returns the object without times and with sorted rules, so that equal runs of oc-mirror give equal objects. */
export function withoutRun(object: KubernetesObject): KubernetesObject {
  const { annotations = {}, ...metadata } = object.metadata;
  const kept = Object.entries(annotations).filter(([name]) => !volatile.has(name));
  return {
    ...object,
    metadata: { ...metadata, ...(kept.length > 0 ? { annotations: Object.fromEntries(kept) } : {}) },
    ...(object.spec === undefined ? {} : { spec: withSortedRules(object.spec) }),
  };
}

/** Returns the objects in the order of application. */
export function inWaves(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const orderOf = (object: KubernetesObject) => waveOf(object) ?? waves.length;
  return [...objects].sort(
    (a, b) => orderOf(a) - orderOf(b) || byCodeUnit(a.kind, b.kind) || byNamespaceAndName(a, b),
  );
}
