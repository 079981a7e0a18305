import { sentence } from "../../credentials/redact.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { fieldsOf, isRecord, ownValue, textOf } from "../../json/values.ts";
import { isKind, kinds } from "../../kubernetes/kinds.ts";
import { type KubernetesObject, namespaceOf } from "../../kubernetes/object.ts";
import { roleLabel } from "../../machine-config/machine-config.ts";
import { parseYamlDocument, YamlDocumentError } from "../../manifests/yaml-document.ts";
import { splitYamlStream } from "../../manifests/yaml-stream.ts";
import type { NodePool } from "./node-pool.ts";

/** What the ConfigMaps of a NodePool's `spec.config` hold for its nodes. */
export type PoolConfig = Readonly<{
  objects: readonly KubernetesObject[];
  issues: readonly Issue[];
  /** The ConfigMaps that are not among the objects. */
  unread: readonly string[];
}>;

const machineConfiguration = "machineconfiguration.openshift.io/v1";

/** What HyperShift takes: hypershift main, hypershift-operator/controllers/nodepool/config.go:332. */
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

/** The key of a ConfigMap that HyperShift reads. */
const key = "config";

type Document = Readonly<{ object: KubernetesObject } | { problem: string; value: string }>;

function readDocument(text: string): Document {
  try {
    const { value } = parseYamlDocument(text);
    const { apiVersion, kind, metadata, ...fields } = fieldsOf(value);
    const [version, name] = [textOf(apiVersion) ?? "", textOf(kind) ?? ""];
    const { name: named, labels: _, ...more } = fieldsOf(metadata);
    // All nodes of a pool are workers, whatever the label says.
    const own = name === "MachineConfig" ? { labels: { [roleLabel]: "worker" } } : {};
    if (accepted.has(`${version}/${name}`))
      return {
        object: {
          ...fields,
          apiVersion: version,
          kind: name,
          metadata: { ...more, ...own, name: textOf(named) ?? "" },
        },
      };
    const problem =
      isRecord(value) && name !== ""
        ? sentence`${name} of ${version || "no API version"}`
        : "a document without kind";
    return { problem, value: name };
  } catch (error) {
    if (!(error instanceof YamlDocumentError)) throw error;
    return { problem: sentence`a document that is not YAML (${error.message})`, value: "" };
  }
}

function readConfigMap(configMap: KubernetesObject, pool: NodePool): Omit<PoolConfig, "unread"> {
  const text = textOf(ownValue(fieldsOf(configMap.data), key)) ?? "";
  const documents = splitYamlStream(text)
    .filter(({ isEmpty }) => !isEmpty)
    .map((chunk) => readDocument(chunk.text));
  return {
    objects: documents.flatMap((one) => ("object" in one ? [one.object] : [])),
    issues: documents.flatMap((one) =>
      "object" in one
        ? []
        : [
            fieldIssue(configMap, `data.${key}`, one.value, {
              code: "UnsupportedPoolConfig",
              message: sentence`HyperShift refuses the whole spec.config of NodePool ${pool.namespace}/${pool.name}, because of ${one.problem}`,
              remedy: `Remove it: the kinds are ${acceptedText}.`,
            }),
          ],
    ),
  };
}

/** Returns the ConfigMaps by namespace and name. */
export function configMapsOf(objects: readonly KubernetesObject[]): ReadonlyMap<string, KubernetesObject> {
  return new Map(
    objects
      .filter((object) => isKind(kinds.ConfigMap, object))
      .map((object) => [`${namespaceOf(object)}/${object.metadata.name}`, object]),
  );
}

/** Reads what a NodePool's ConfigMaps hold: HyperShift takes six kinds, and refuses all of them for any other. */
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
