import { ownValue } from "../../../domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "../../../domain/kubernetes/object.ts";
import type { ListOptions, WatchOptions } from "../../../ports/hub.ts";

/** Returns whether a list or watch with these options includes an object. */
export function selection({
  namespace,
  name,
  labels = {},
  withLabel,
  withoutLabel,
}: ListOptions & WatchOptions) {
  const wanted = Object.entries(labels);
  return ({ metadata }: KubernetesObject): boolean =>
    (namespace === undefined || metadata.namespace === namespace) &&
    (name === undefined || metadata.name === name) &&
    wanted.every(([label, value]) => ownValue(metadata.labels, label) === value) &&
    (withLabel === undefined || ownValue(metadata.labels, withLabel) !== undefined) &&
    (withoutLabel === undefined || ownValue(metadata.labels, withoutLabel) === undefined);
}
