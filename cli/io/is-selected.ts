import { selects } from "#shared/domain/kubernetes/label-selector.ts";
import { type KubernetesObject, namespaceOf } from "#shared/domain/kubernetes/object.ts";
import type { SelectionOptions } from "../program/object-selection.ts";

/** Reports whether options select this object. An object without a namespace counts as an object in `default`. */
export function isSelected(
  object: KubernetesObject,
  { namespace, selector = [] }: SelectionOptions,
): boolean {
  const isThere = namespace === undefined || namespaceOf(object) === namespace;
  return isThere && selects(selector, object.metadata.labels);
}
