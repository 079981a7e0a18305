import type { Unread } from "../../issues/coverage.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { fieldsOf, ownValue, textOf } from "../../kubernetes/json/values.ts";
import { displayName, isKind, type KubernetesObject, kinds, namespaceOf } from "../../kubernetes/object.ts";
import type { LocatedObject } from "../../manifests/located-object.ts";
import { readManifests } from "../../manifests/manifests.ts";
import { splitYamlStream } from "../../manifests/yaml-stream.ts";
import { roleLabel } from "../../openshift/machine-config/machine-config.ts";
import { sentence } from "../../text/redact.ts";
import { type NodePool, readNodePool } from "./node-pool.ts";

/** The objects in the ConfigMaps of a NodePool's `spec.config`. */
export type PoolConfig = Readonly<{
  objects: readonly KubernetesObject[];
  issues: readonly Issue[];
  /** The names of the ConfigMaps of `spec.config` that the input lacks. */
  unread: readonly string[];
}>;

const machineConfiguration = "machineconfiguration.openshift.io/v1";

// Source: hypershift main, hypershift-operator/controllers/nodepool/config.go:332.
const accepted: ReadonlySet<string> = new Set([
  `${machineConfiguration}/MachineConfig`,
  `${machineConfiguration}/KubeletConfig`,
  `${machineConfiguration}/ContainerRuntimeConfig`,
  "operator.openshift.io/v1alpha1/ImageContentSourcePolicy",
  "config.openshift.io/v1/ImageDigestMirrorSet",
  "config.openshift.io/v1/ClusterImagePolicy",
  "config.openshift.io/v1alpha1/ClusterImagePolicy",
]);
const acceptedText =
  "MachineConfig, KubeletConfig, ContainerRuntimeConfig, ImageContentSourcePolicy, ImageDigestMirrorSet and ClusterImagePolicy";

const key = "config";
export const poolConfigField: string = `data.${key}`;

/** Returns a MachineConfig with the label of pool `worker`, as HyperShift does: nodepool/config.go:311 (main). */
function forWorkers(object: KubernetesObject): KubernetesObject {
  if (!isKind(kinds.MachineConfig, object)) return object;
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [roleLabel]: "worker" } } };
}

type Document = Readonly<{ object: KubernetesObject } | { problem: string; value: string }>;

function readDocument(text: string): Document {
  const { objects, damaged = [], issues } = readManifests(text, key);
  const [one] = [...objects, ...damaged];
  if (!one)
    return {
      problem: sentence`a document that is not read: ${issues[0]?.message ?? "it is of no kind"}`,
      value: "",
    };
  const { apiVersion, kind } = one.object;
  if (one.path.length > 0) return { problem: "a list", value: "List" };
  if (accepted.has(`${apiVersion}/${kind}`)) return { object: forWorkers(one.object) };
  return { problem: sentence`${kind} of ${apiVersion}`, value: kind };
}

function documentsIn({ data }: KubernetesObject): readonly Document[] {
  const text = textOf(ownValue(fieldsOf(data), key)) ?? "";
  const chunks = splitYamlStream(text).filter(({ isEmpty }) => !isEmpty);
  return chunks.map((chunk) => readDocument(chunk.text));
}

const acceptedIn = (documents: readonly Document[]): readonly KubernetesObject[] =>
  documents.flatMap((one) => ("object" in one ? [one.object] : []));

function readConfigMap(configMap: KubernetesObject, pool: NodePool): Omit<PoolConfig, "unread"> {
  const documents = documentsIn(configMap);
  return {
    objects: acceptedIn(documents),
    issues: documents.flatMap((one) =>
      "object" in one
        ? []
        : [
            fieldIssue(configMap, poolConfigField, one.value, {
              code: "UnsupportedPoolConfig",
              message: sentence`HyperShift refuses the whole spec.config of NodePool ${pool.namespace}/${pool.name}, because of ${one.problem}`,
              remedy: `Remove it: the kinds are ${acceptedText}.`,
            }),
          ],
    ),
  };
}

/** Returns the names of the ConfigMaps in `spec.config` of all NodePools, by namespace. */
export function poolConfigNames(
  objects: readonly KubernetesObject[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const pools = objects.filter((object) => isKind(kinds.NodePool, object)).map(readNodePool);
  const naming = pools.filter(({ pool }) => pool.config.length > 0);
  const byNamespace = Map.groupBy(naming, ({ pool }) => pool.namespace);
  return new Map(
    [...byNamespace].map(([namespace, some]) => [
      namespace,
      new Set(some.flatMap(({ pool }) => pool.config)),
    ]),
  );
}

/** Returns the ConfigMaps in `spec.config` of all NodePools, each with the objects that nodes get from it. */
export function poolConfigsIn(
  objects: readonly KubernetesObject[],
): readonly Readonly<{ configMap: KubernetesObject; objects: readonly KubernetesObject[] }>[] {
  const names = poolConfigNames(objects);
  return [...configMapsOf(objects).values()]
    .filter((configMap) => names.get(namespaceOf(configMap))?.has(configMap.metadata.name))
    .map((configMap) => ({ configMap, objects: acceptedIn(documentsIn(configMap)) }));
}

/** Reports the ConfigMaps that NodePools name in `spec.config`, but that `objects` lacks, as unread input. */
export function absentPoolConfigs(objects: readonly KubernetesObject[]): readonly Unread[] {
  const given = configMapsOf(objects);
  return [...poolConfigNames(objects)].flatMap(([namespace, names]) =>
    [...names]
      .filter((name) => !given.has(`${namespace}/${name}`))
      .map((name) => {
        const what = displayName({ kind: kinds.ConfigMap.kind, namespace, name });
        return { what, why: "not-given", count: 1 } as const;
      }),
  );
}

/** Returns the objects. Those in ConfigMaps of NodePools get `isOfNodePool` and HyperShift's labels. */
export function asPoolsHave(
  embedded: readonly LocatedObject[],
  objects: readonly KubernetesObject[],
): readonly LocatedObject[] {
  const names = poolConfigNames(objects);
  return embedded.map((located) => {
    const { kind, namespace = "default", name = "" } = located.within ?? {};
    const isOfPool = kind === kinds.ConfigMap.kind && names.get(namespace)?.has(name);
    return isOfPool ? { ...located, object: forWorkers(located.object), isOfNodePool: true } : located;
  });
}

/** Returns the ConfigMaps by `namespace/name`. */
export function configMapsOf(objects: readonly KubernetesObject[]): ReadonlyMap<string, KubernetesObject> {
  return new Map(
    objects
      .filter((object) => isKind(kinds.ConfigMap, object))
      .map((object) => [`${namespaceOf(object)}/${object.metadata.name}`, object]),
  );
}

/** Reads the objects in a NodePool's ConfigMaps. Each object of a kind that HyperShift refuses gives an issue. */
export function readPoolConfig(
  pool: NodePool,
  configMaps: ReadonlyMap<string, KubernetesObject>,
): PoolConfig {
  const found = pool.config.map((name) => [name, configMaps.get(`${pool.namespace}/${name}`)] as const);
  const read = found.flatMap(([, configMap]) => (configMap ? [readConfigMap(configMap, pool)] : []));
  return {
    objects: read.flatMap(({ objects }) => objects),
    issues: read.flatMap(({ issues }) => issues),
    unread: found.flatMap(([name, configMap]) => (configMap ? [] : [name])),
  };
}
