import { byCodeUnit, fieldsOf, isRecord, isSameJson, listOf } from "../../kubernetes/json/values.ts";
import { type KubernetesObject, kinds, type OwnerReference } from "../../kubernetes/object.ts";
import type { OperatorForm } from "../releases/machine-config-operator.ts";
import { decodeContents, type IgnitionContents, maxContents, renderIgnition } from "./ignition.ts";
import { isPullFile, type NodeFile } from "./node-file.ts";

/** Label with the role of a MachineConfig, usually the name of the pool that selects the MachineConfig. */
export const roleLabel = "machineconfiguration.openshift.io/role";
export const builtInLabel = "machineconfiguration.openshift.io/mco-built-in";

/** Annotation of each MachineConfig that machine-config-operator writes. The value names the operator's build. */
export const generatedByAnnotation = "machineconfiguration.openshift.io/generated-by-controller-version";

/** Reports whether machine-config-operator wrote the MachineConfig. */
export function isGenerated(machineConfig: KubernetesObject | undefined): boolean {
  return machineConfig?.metadata.annotations?.[generatedByAnnotation] !== undefined;
}

/** Returns the name of the MachineConfig that holds a pool's mirror configuration. */
export function machineConfigName(pool: string): string {
  return `99-${pool}-generated-registries`;
}

/** Reports whether a MachineConfig of this name holds the mirror configuration of some pool. */
export function isMachineConfigName(name: string): boolean {
  return /^99-.+-generated-registries$/.test(name);
}

/** Reports whether this is the name of a MachineConfig that was merged from all MachineConfigs of a pool. */
export function isMergedName(name: string): boolean {
  return /^rendered-.+-[0-9a-f]+$/.test(name);
}

/** Reports whether a pool is one of the built-in pools `master`, `worker` and `arbiter`. */
export function isBuiltInPool({ metadata }: KubernetesObject): boolean {
  return metadata.labels !== undefined && builtInLabel in metadata.labels;
}

/** The built-in pools. Only for these pools, machine-config-operator generates a MachineConfig with mirrors. */
export const builtInPools = ["master", "worker", "arbiter"] as const;

/** Returns a minimal built-in MachineConfigPool, for input that lacks the pool. */
export function builtInPool(name: (typeof builtInPools)[number]): KubernetesObject {
  const { apiVersion, kind } = kinds.MachineConfigPool;
  return { apiVersion, kind, metadata: { name, labels: { [builtInLabel]: "" } } };
}

/** The API server requires the uid of an owner. */
function ownedBy(image: KubernetesObject | undefined): Readonly<{ ownerReferences?: OwnerReference[] }> {
  if (!image?.metadata.uid) return {};
  const { name, uid } = image.metadata;
  return { ownerReferences: [{ apiVersion: "config.openshift.io/v1", kind: "Image", name, uid }] };
}

/**
 * Returns the MachineConfig that writes these files on a pool's nodes, as machine-config-operator generates it, but
 * without the empty fields of `spec`.
 */
export function renderMachineConfig({
  pool,
  files,
  image,
  annotations,
  ignition,
}: Readonly<{
  pool: string;
  files: readonly NodeFile[];
  image?: KubernetesObject;
  annotations?: Readonly<Record<string, string>>;
  /** The version of Ignition; by default a version that every release reads. */
  ignition?: OperatorForm["ignition"];
}>): KubernetesObject {
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: {
      name: machineConfigName(pool),
      labels: { [roleLabel]: pool },
      ...(annotations ? { annotations } : {}),
      ...ownedBy(image),
    },
    spec: { config: renderIgnition(files, ignition) },
  };
}

function ignitionOf(machineConfig: KubernetesObject | undefined): unknown {
  return fieldsOf(machineConfig?.spec).config;
}

/** A file as a MachineConfig describes it. Fields that the MachineConfig does not set are undefined. */
export type IgnitionFile = Readonly<{ path: string; mode: number | undefined }> & IgnitionContents;

/** Returns the files of a MachineConfig. Their contents stay encoded. */
export function ignitionFiles(machineConfig: KubernetesObject): readonly IgnitionFile[] {
  const { storage } = fieldsOf(ignitionOf(machineConfig));
  return listOf(fieldsOf(storage).files).flatMap((file): IgnitionFile[] => {
    if (!isRecord(file) || typeof file.path !== "string") return [];
    const { source, compression } = fieldsOf(file.contents);
    return [
      {
        path: file.path,
        mode: typeof file.mode === "number" ? file.mode : undefined,
        ...(typeof source === "string" ? { source } : {}),
        ...(typeof compression === "string" ? { compression } : {}),
      },
    ];
  });
}

/** Returns the path of the last field that names this file, such as `spec.config.storage.files[0].path`. */
export function fieldOfFile(machineConfig: KubernetesObject | undefined, path: string): string {
  const files = listOf(fieldsOf(fieldsOf(ignitionOf(machineConfig)).storage).files);
  return `spec.config.storage.files[${files.findLastIndex((file) => fieldsOf(file).path === path)}].path`;
}

/** Returns the decoded file. If the content is unreadable or is not in the MachineConfig, returns the problem. */
export type DecodeFile = (file: IgnitionFile) => NodeFile | Readonly<{ problem: string }>;

/** Returns a decoder for the files of one MachineConfig. It refuses files beyond a total of `maxContents` bytes. */
export function fileDecoder(): DecodeFile {
  let rest = maxContents;
  return (file) => {
    const decoded = decodeContents(file, rest);
    if ("problem" in decoded) return decoded;
    rest -= decoded.bytes;
    return { path: file.path, mode: file.mode ?? 0o644, contents: decoded.text };
  };
}

/** Returns the readable files of a MachineConfig. Compressed files that do not configure image pulls are left out. */
export function readMachineConfigFiles(machineConfig: KubernetesObject): readonly NodeFile[] {
  const decode = fileDecoder();
  return ignitionFiles(machineConfig).flatMap((file) => {
    if (file.compression && !isPullFile(file.path)) return [];
    const decoded = decode(file);
    return "problem" in decoded ? [] : [decoded];
  });
}

/** Reports whether the role label of a MachineConfig names this pool. */
export function isOfRole({ metadata }: KubernetesObject, pool: string): boolean {
  return metadata.labels?.[roleLabel] === pool;
}

const pathOf = (file: unknown): string => (isRecord(file) && typeof file.path === "string" ? file.path : "");

function contentOf(machineConfig: KubernetesObject): unknown {
  const config = ignitionOf(machineConfig);
  if (!isRecord(config)) return config;
  const { ignition, storage } = config;
  return {
    ...config,
    ...(isRecord(ignition) ? { ignition: { ...ignition, version: "" } } : {}),
    ...(isRecord(storage) && Array.isArray(storage.files)
      ? { storage: { ...storage, files: storage.files.toSorted((a, b) => byCodeUnit(pathOf(a), pathOf(b))) } }
      : {}),
  };
}

/** Reports whether two MachineConfigs write the same files, in any order and with any version of Ignition. */
export function sameContent(a: KubernetesObject, b: KubernetesObject): boolean {
  return isSameJson(contentOf(a), contentOf(b));
}

/**
 * Returns `wanted`, but with the Ignition configuration of `present` if both write the same files and nodes read its
 * version: a change of mere bytes would cost the nodes an update.
 */
export function keepConfig(
  present: KubernetesObject | undefined,
  wanted: KubernetesObject,
  newestVersion: OperatorForm["ignition"],
): KubernetesObject {
  if (!present || !sameContent(present, wanted)) return wanted;
  const config = ignitionOf(present);
  const ignition = fieldsOf(fieldsOf(config).ignition);
  const isReadable = typeof ignition.version === "string" && ignition.version <= newestVersion;
  return isReadable && isRecord(wanted.spec) ? { ...wanted, spec: { ...wanted.spec, config } } : wanted;
}
