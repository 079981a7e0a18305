import {
  type Kind,
  type KubernetesObject,
  kinds,
  type ObjectMeta,
} from "#shared/domain/kubernetes/object.ts";
import { anObject } from "../../../support/hub/objects.ts";
import { pathTo } from "./schema-mutations.ts";

/**
 * What an account writes: an object with its own fields, and the paths that it may write on creation, by an update, and of
 * the status. A path that ends with `**` stands for all below it.
 */
export type Write = Readonly<{
  object: KubernetesObject;
  create?: readonly string[];
  update?: readonly string[];
  status?: readonly string[];
}>;

export const annotation = (name: string) => pathTo("metadata.annotations", `hubrelay.dev/${name}`);
export const label = (name: string) => pathTo("metadata.labels", `hubrelay.dev/${name}`);
export const conditionPaths = (...types: readonly string[]) =>
  types.map((type) => `status.conditions[${type}].**`);
export const below = (...paths: readonly string[]) => paths.map((path) => `${path}.**`);

export const time = "2026-03-01T02:00:00Z";
export const conditions = (...types: readonly string[]) =>
  types.map((type) => ({ type, status: "True", reason: "R", message: "m", lastTransitionTime: time }));
export const texts = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "x"]));
export const ownerPaths = ({ kind, name }: Readonly<{ kind: string; name: string }>) => {
  const path = `metadata.ownerReferences[${kind}/${name}]`;
  return ["metadata.ownerReferences", path, `${path}.name`, `${path}.uid`];
};

export function objectOf(
  kind: Kind,
  fields: Readonly<Record<string, unknown>>,
  metadata: Partial<ObjectMeta> = {},
): KubernetesObject {
  const within = kind.namespaced ? { namespace: "default" } : {};
  return anObject(kind, { name: "own", ...within, ...metadata }, fields);
}

const eventAnnotations = [
  "correlation-id",
  "decided-from",
  "observed",
  "outcomes",
  "release-repositories",
  "waits-for",
];
const changedEvent = [
  ...eventAnnotations.map(annotation),
  ...below("count", "involvedObject", "lastTimestamp", "message", "type"),
];
/** The Events of a function, which are about an object in the namespace `default`. */
export const events = (name: string): Write => ({
  object: objectOf(
    kinds.Event,
    {
      involvedObject: { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "a" },
      type: "Warning",
      reason: "Reported",
      message: "m",
      source: { component: `hubrelay-${name}` },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    },
    {
      labels: { "hubrelay.dev/function": name, ...texts("hubrelay.dev/hosted-cluster", "hubrelay.dev/key") },
      annotations: texts(...eventAnnotations.map((one) => `hubrelay.dev/${one}`)),
    },
  ),
  create: [
    ...changedEvent,
    "metadata.name",
    "metadata.annotations",
    label("hosted-cluster"),
    label("key"),
    ...below("firstTimestamp", "reason", "source"),
  ],
  update: changedEvent,
});
