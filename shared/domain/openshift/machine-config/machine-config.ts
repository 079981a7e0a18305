import { byCodeUnit, fieldsOf, isRecord, isSameJson, listOf } from "../../kubernetes/json/values.ts";
import { type KubernetesObject, kinds, type OwnerReference } from "../../kubernetes/object.ts";
import type { OperatorForm } from "../releases/machine-config-operator.ts";
import { decodeContents, type IgnitionContents, maxContents, renderIgnition } from "./ignition.ts";
import { isPullFile, type NodeFile } from "./node-file.ts";

/** Label of a MachineConfig: its role. A pool selects the MachineConfigs of its own role by default. */
export const roleLabel = "machineconfiguration.openshift.io/role";
export const builtInLabel = "machineconfiguration.openshift.io/mco-built-in";

/** Annotation of a MachineConfig that machine-config-operator wrote: the build of the operator's controller. */
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

/** Reports whether a MachineConfig of this name is the merge of all MachineConfigs that a pool selects. */
export function isMergedName(name: string): boolean {
  return /^rendered-.+-[0-9a-f]+$/.test(name);
}

/** Reports whether the pool is master, worker or arbiter. Custom pools use the generated MachineConfig of `worker`. */
export function isBuiltInPool({ metadata }: KubernetesObject): boolean {
  return metadata.labels !== undefined && builtInLabel in metadata.labels;
}

/** The pools for which machine-config-operator generates a MachineConfig. */
export const builtInPools = ["master", "worker", "arbiter"] as const;

/** Returns a built-in MachineConfigPool, for input that lacks it. */
export function builtInPool(name: (typeof builtInPools)[number]): KubernetesObject {
  const { apiVersion, kind } = kinds.MachineConfigPool;
  return { apiVersion, kind, metadata: { name, labels: { [builtInLabel]: "" } } };
}

/** Returns the owner reference to the Image; empty if the Image has no uid, which the API server requires of owners. */
function ownedBy(image: KubernetesObject | undefined): Readonly<{ ownerReferences?: OwnerReference[] }> {
  if (!image?.metadata.uid) return {};
  const { name, uid } = image.metadata;
  return { ownerReferences: [{ apiVersion: "config.openshift.io/v1", kind: "Image", name, uid }] };
}

/**
 * Returns the MachineConfig that writes the files on every node of a pool. Name, labels, owner (the Image configuration
 * of the input) and files are those that machine-config-operator generates. The operator's other fields of `spec` are
 * empty and left out.
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
  /** The version of Ignition; by default one that every release reads. */
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

/** A file of a MachineConfig as Ignition describes it; undefined fields are not set in the MachineConfig. */
export type IgnitionFile = Readonly<{ path: string; mode: number | undefined }> & IgnitionContents;

/** Returns the files in the Ignition configuration of a MachineConfig, without decoding their contents. */
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

/** Returns the field path at which a MachineConfig names this file: the last such field, since the last takes effect. */
export function fieldOfFile(machineConfig: KubernetesObject | undefined, path: string): string {
  const files = listOf(fieldsOf(fieldsOf(ignitionOf(machineConfig)).storage).files);
  return `spec.config.storage.files[${files.findLastIndex((file) => fieldsOf(file).path === path)}].path`;
}

/** Decodes a file; returns a problem if its content is unreadable or not part of the MachineConfig. */
export type DecodeFile = (file: IgnitionFile) => NodeFile | Readonly<{ problem: string }>;

/** Returns a decoder for the files of one MachineConfig. `maxContents` limits the bytes of all files together. */
export function fileDecoder(): DecodeFile {
  let rest = maxContents;
  return (file) => {
    const decoded = decodeContents(file, rest);
    if ("problem" in decoded) return decoded;
    rest -= decoded.bytes;
    return { path: file.path, mode: file.mode ?? 0o644, contents: decoded.text };
  };
}

/**
 * Returns the files that a MachineConfig writes, without files that cannot be read and without compressed files that do
 * not configure image pulls.
 */
export function readMachineConfigFiles(machineConfig: KubernetesObject): readonly NodeFile[] {
  const decode = fileDecoder();
  return ignitionFiles(machineConfig).flatMap((file) => {
    if (file.compression && !isPullFile(file.path)) return [];
    const decoded = decode(file);
    return "problem" in decoded ? [] : [decoded];
  });
}

/** Reports whether the built-in pool selects this MachineConfig: the role label must be the name of the pool. */
export function isOfRole({ metadata }: KubernetesObject, pool: string): boolean {
  return metadata.labels?.[roleLabel] === pool;
}

const pathOf = (file: unknown): string => (isRecord(file) && typeof file.path === "string" ? file.path : "");

/** Returns the Ignition configuration with an empty version and sorted files: version and order do not affect nodes. */
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

/** Reports whether both MachineConfigs write the same files. Ignition version and order of files and keys may differ. */
export function sameContent(a: KubernetesObject, b: KubernetesObject): boolean {
  return isSameJson(contentOf(a), contentOf(b));
}

/**
 * Returns the wanted MachineConfig, but with the Ignition configuration of `present` if it writes the same files and
 * nodes read its version: a change of mere bytes would cost the nodes an update.
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
