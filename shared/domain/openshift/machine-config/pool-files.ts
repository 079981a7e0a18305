import { byCodeUnit, fieldsOf, listOf, ownValue } from "../../kubernetes/json/values.ts";
import { readLabelSelector, selects } from "../../kubernetes/label-selector.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { type IgnitionForm, ignitionRefusals } from "./ignition-refusals.ts";
import {
  builtInPools,
  type DecodeFile,
  fileDecoder,
  type IgnitionFile,
  ignitionFiles,
  isGenerated,
  machineConfigName,
  readMachineConfigFiles,
  renderMachineConfig,
  roleLabel,
} from "./machine-config.ts";
import { isPullFile, isRuntimeDropIn, type NodeFile } from "./node-file.ts";

/** The name of a pool and its MachineConfigPool. `object` is absent if the input lacks the MachineConfigPool. */
export type Pool = Readonly<{ name: string; object?: KubernetesObject }>;

/** A file that configures image pulls, but whose content cannot be read. */
export type UnreadFile = Readonly<{ machineConfig: string; path: string; problem: string }>;

type ReplacedFile = Readonly<{ machineConfig: string; path: string; by: string }>;

/** The files on a pool's nodes that configure image pulls, and the files that machine-config-operator refuses. */
export type PoolFiles = Readonly<{
  files: readonly NodeFile[];
  unread: readonly UnreadFile[];
  /** Users' files that have no effect, because the generated MachineConfig replaces them. */
  replaced: readonly ReplacedFile[];
}>;

/** Returns the pool whose generated MachineConfig applies to the nodes of `pool`; `worker` for a custom pool. */
export function generatingPool(pool: string): string {
  return builtInPools.find((name) => name === pool) ?? "worker";
}

const roleOf = ({ metadata }: KubernetesObject): string | undefined =>
  ownValue(metadata.labels ?? {}, roleLabel);

function selectorOf({ name, object }: Pool): (machineConfig: KubernetesObject) => boolean {
  const read = readLabelSelector(fieldsOf(object?.spec).machineConfigSelector);
  if ("selector" in read) return ({ metadata }) => selects(read.selector, metadata.labels);
  const roles = new Set<string | undefined>([name, generatingPool(name)]);
  return (machineConfig) => roles.has(roleOf(machineConfig));
}

/** Later MachineConfigs override earlier ones. Source: pkg/controller/common/helpers.go:71 of MCO main. */
function inMergeOrder(machineConfigs: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const rank = (machineConfig: KubernetesObject) => (roleOf(machineConfig) === "worker" ? 0 : 1);
  return machineConfigs.toSorted((a, b) => rank(a) - rank(b) || byCodeUnit(a.metadata.name, b.metadata.name));
}

const isRead = (path: string): boolean => isPullFile(path) || isRuntimeDropIn(path);

/** Returns a MachineConfig with only its files for image pulls and CRI-O. Other files may be large or secret. */
export function withOnlyPullFiles(machineConfig: KubernetesObject): KubernetesObject {
  const { storage } = fieldsOf(fieldsOf(machineConfig.spec).config);
  const files = listOf(fieldsOf(storage).files).filter((file) => {
    const { path } = fieldsOf(file);
    return typeof path === "string" && isRead(path);
  });
  const { version } = fieldsOf(fieldsOf(fieldsOf(machineConfig.spec).config).ignition);
  return { ...machineConfig, spec: { config: { ignition: { version }, storage: { files } } } };
}

/** Reports whether a MachineConfig writes files that configure image pulls or CRI-O. */
export function writesPullFiles(machineConfig: KubernetesObject): boolean {
  return ignitionFiles(machineConfig).some(({ path }) => isRead(path));
}

type MergedFile = Readonly<{ file: IgnitionFile; rendered: NodeFile | undefined; writtenBy: string }>;

/** Fields that `after` does not set keep their values, except `compression`, which becomes empty. */
function override(before: MergedFile | undefined, after: IgnitionFile, name: string): MergedFile {
  const isContentKept = before !== undefined && after.source === undefined;
  return {
    file: {
      ...before?.file,
      ...after,
      mode: after.mode ?? before?.file.mode,
      compression: after.compression ?? "",
    },
    rendered: isContentKept ? before.rendered : undefined,
    writtenBy: isContentKept ? before.writtenBy : name,
  };
}

function decodeMerged({ file, rendered }: MergedFile, decode: DecodeFile): ReturnType<DecodeFile> {
  return rendered ? { ...rendered, mode: file.mode ?? rendered.mode } : decode(file);
}

function refusedFiles(
  machineConfigs: readonly KubernetesObject[],
  form: IgnitionForm | undefined,
): readonly NodeFile[] {
  return machineConfigs.flatMap((machineConfig) =>
    ignitionRefusals(machineConfig, form).map(({ path, problem }) => ({
      path,
      mode: 0,
      contents: "",
      writtenBy: machineConfig.metadata.name,
      refusal: problem,
    })),
  );
}

/**
 * Merges the files that configure image pulls, as machine-config-operator does. The files of `generated`, one of
 * `machineConfigs`, are passed separately as decoded: encoding and decoding them for each pool is slow.
 */
export function mergeFiles(
  machineConfigs: readonly KubernetesObject[],
  generated?: Readonly<{ machineConfig: KubernetesObject; files: readonly NodeFile[] }>,
  form?: IgnitionForm,
): PoolFiles {
  const merged = new Map<string, MergedFile>();
  const byOperator = new Set(machineConfigs.filter(isGenerated).map(({ metadata }) => metadata.name));
  const replaced: ReplacedFile[] = [];
  for (const machineConfig of inMergeOrder(machineConfigs)) {
    const writtenBy = machineConfig.metadata.name;
    if (machineConfig === generated?.machineConfig)
      for (const rendered of generated.files) {
        const { path } = rendered;
        const before = merged.get(path)?.writtenBy;
        if (before !== undefined && !byOperator.has(before))
          replaced.push({ machineConfig: before, path, by: writtenBy });
        merged.set(path, { file: rendered, rendered, writtenBy });
      }
    for (const file of ignitionFiles(machineConfig)) {
      const { path } = file;
      if (isRead(path)) merged.set(path, override(merged.get(path), file, writtenBy));
    }
  }
  const files: NodeFile[] = [];
  const refused = refusedFiles(machineConfigs, form);
  const isRefused = (path: string, name: string) =>
    refused.some((file) => file.path === path && file.writtenBy === name);
  const unread: UnreadFile[] = [];
  const decoders = new Map<string, DecodeFile>();
  for (const one of merged.values()) {
    const {
      file: { path },
      writtenBy,
    } = one;
    const decode = decoders.get(writtenBy) ?? fileDecoder();
    decoders.set(writtenBy, decode);
    const decoded = decodeMerged(one, decode);
    if (!("problem" in decoded)) files.push({ ...decoded, writtenBy });
    else if (isPullFile(path) && !isRefused(path, writtenBy))
      unread.push({ machineConfig: writtenBy, path, problem: decoded.problem });
  }
  return { files: [...files, ...refused], unread, replaced };
}

/** Returns the files of the MachineConfig generated for the pool, or else for `worker`; undefined without either. */
export function generatedFiles(
  machineConfigs: readonly KubernetesObject[],
  pool: string,
): readonly NodeFile[] | undefined {
  const named = (name: string) =>
    machineConfigs.find(({ metadata }) => metadata.name === machineConfigName(name));
  const found = named(generatingPool(pool)) ?? named("worker");
  return found && readMachineConfigFiles(found);
}

/** Returns the files on a pool's nodes that configure image pulls. `rendered` replaces the generated files. */
export function poolFiles(
  pool: Pool,
  machineConfigs: readonly KubernetesObject[],
  rendered?: readonly NodeFile[],
  form?: IgnitionForm,
): PoolFiles {
  const own = generatingPool(pool.name);
  const present = rendered
    ? machineConfigs.filter(({ metadata }) => metadata.name !== machineConfigName(own))
    : machineConfigs;
  if (!rendered) return mergeFiles(present.filter(selectorOf(pool)), undefined, form);
  const machineConfig = renderMachineConfig({ pool: own, files: [] });
  const selected = [...present, machineConfig].filter(selectorOf(pool));
  return mergeFiles(selected, { machineConfig, files: rendered }, form);
}
