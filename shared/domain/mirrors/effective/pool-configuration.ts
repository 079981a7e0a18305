import { demanded } from "../../issues/api-refusals.ts";
import {
  asWritten,
  type Field,
  flag,
  list,
  map,
  orNull,
  partial,
  readField,
  text,
} from "../../issues/field.ts";
import { fieldIssue, fieldWarning, type Issue, type IssueObject } from "../../issues/issue.ts";
import { byCodeUnit, fieldsOf, withoutRepeats } from "../../kubernetes/json/values.ts";
import { readLabelSelector } from "../../kubernetes/label-selector.ts";
import { isKind, type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { isMachineConfigName } from "../../openshift/machine-config/machine-config.ts";
import { isPullFile, type NodeFile } from "../../openshift/machine-config/node-file.ts";
import {
  type Pool,
  type PoolFiles,
  poolFiles,
  type UnreadFile,
} from "../../openshift/machine-config/pool-files.ts";
import { operatorForm } from "../../openshift/releases/machine-config-operator.ts";
import { sentence } from "../../text/redact.ts";
import type { MirrorConfiguration, MirrorInput } from "../configuration.ts";
import { readPolicyRules } from "../pull/policy-verdict.ts";
import {
  type ContentReader,
  type LoadedRegistries,
  type RefusedFile,
  readingOnce,
  refusedSignatureStorage,
  tryLoadRegistries,
} from "../registries-conf/load-registries.ts";
import { type Overriding, overriddenObjects, replacedFiles } from "./overridden-objects.ts";

function unreadFileIssue({ machineConfig, path, problem }: UnreadFile): Issue {
  return fieldWarning({ kind: kinds.MachineConfig.kind, name: machineConfig }, path, undefined, {
    code: "UnreadNodeFile",
    message: sentence`hubrelay cannot read this file, so that the result is for nodes without it: ${problem}`,
    remedy: "Write the content of the file into the MachineConfig, as a data: URL of at most 4 MiB.",
  });
}

function placeOf({ path, writtenBy }: NodeFile): readonly [object: IssueObject, path: string] {
  return writtenBy === undefined
    ? [{ kind: "File", name: path }, ""]
    : [{ kind: kinds.MachineConfig.kind, name: writtenBy }, path];
}

/** Returns the error about a file that the container runtime refuses, or whose MachineConfig the operator refuses. */
export function refusedFileIssue({ file, problem }: RefusedFile): Issue {
  const isByOperator = file.refusal !== undefined;
  const effect = isByOperator
    ? "machine-config-operator refuses the MachineConfig, its pool is RenderDegraded, and no change reaches the nodes"
    : "Nodes with this file pull no image";
  return fieldIssue(...placeOf(file), undefined, {
    code: isByOperator ? "RefusedMachineConfig" : "InvalidNodeFile",
    message: sentence`${effect}: ${problem}`,
    remedy: isByOperator
      ? "Correct it in the MachineConfig, or remove the MachineConfig."
      : "Correct the file, or remove it.",
  });
}

function version1Issue({ file, version1 = "" }: NonNullable<LoadedRegistries["version1"]>): Issue {
  return fieldWarning(...placeOf(file), undefined, {
    code: "OldRegistriesConf",
    message: sentence`${version1} is version 1 of the format: CRI-O reads it and pods are not affected, but podman 6 on the node, which pre-caching pulls with, refuses the file`,
    remedy: "Write unqualified-search-registries and [[registry]] tables instead.",
  });
}

/** Returns errors about refused files, and a warning about a registries.conf of version 1. */
export function nodeFileIssues(
  files: readonly NodeFile[],
  registries: LoadedRegistries | RefusedFile = tryLoadRegistries(files),
): readonly Issue[] {
  const policies = files
    .filter(({ path, refusal }) => path.endsWith(".json") && isPullFile(path) && refusal === undefined)
    .flatMap((file) => {
      const read = readPolicyRules(file.contents);
      return "problem" in read ? [{ file, problem: read.problem }] : [];
    });
  const ofRegistries =
    "problem" in registries
      ? [refusedFileIssue(registries)]
      : registries.version1
        ? [version1Issue(registries.version1)]
        : [];
  return [...policies.map(refusedFileIssue), ...ofRegistries];
}

/** Returns the MachineConfigPools of these objects, sorted by name; `master` and `worker` if there are none. */
export function poolsOf(objects: readonly KubernetesObject[]): readonly Pool[] {
  const found = objects.filter((object) => isKind(kinds.MachineConfigPool, object));
  if (found.length === 0) return [{ name: "master" }, { name: "worker" }];
  return found
    .map((object) => ({ name: object.metadata.name, object }))
    .sort((a, b) => byCodeUnit(a.name, b.name));
}

/** Returns the pool of this name, with its MachineConfigPool if the objects include one. */
export function poolNamed(objects: readonly KubernetesObject[], name: string): Pool {
  return poolsOf(objects).find((pool) => pool.name === name) ?? { name };
}

// The fields that hubrelay reads. A null is dropped. Source: openshift/api 8f52beb625b5, machineconfiguration/v1.

const aString = text({}, "a string");
const countOrPercentage: Field = {
  definition: { "x-kubernetes-int-or-string": true },
  read: (value, path, refuse) =>
    value === undefined || typeof value === "string" || Number.isInteger(value)
      ? value
      : refuse(path, value, "a whole number or a string"),
};
const selector = orNull(
  partial({
    matchLabels: orNull(map(aString)),
    matchExpressions: orNull(
      list(partial({ key: demanded(aString), operator: demanded(aString), values: orNull(list(aString)) })),
    ),
  }),
);

const specs: readonly Readonly<{ kind: (typeof kinds)["MachineConfig"]; spec: Field }>[] = [
  { kind: kinds.MachineConfig, spec: orNull(partial({ config: orNull(map(asWritten())) })) },
  {
    kind: kinds.MachineConfigPool,
    // A pool may have no spec: OCM Policies such as ZTP's validators compare only the status of a pool.
    spec: orNull(
      partial({
        machineConfigSelector: selector,
        nodeSelector: selector,
        paused: orNull(flag()),
        maxUnavailable: orNull(countOrPercentage),
      }),
    ),
  },
];

/** Returns issues about fields for which the API server refuses a MachineConfig or MachineConfigPool. */
export function nodeObjectRefusals(object: KubernetesObject): readonly Issue[] {
  const found = specs.find(({ kind }) => isKind(kind, object));
  return found ? readField(object, "spec", object.spec, found.spec).issues : [];
}

/**
 * Returns errors about selectors that the API server accepts, but with which machine-config-operator fails.
 * Source: pkg/controller/render/render_controller.go and pkg/helpers/helpers.go of MCO main.
 */
export function selectorIssues({ object }: Pool): readonly Issue[] {
  // Objects that the API server refuses do not reach the operator.
  if (object === undefined || nodeObjectRefusals(object).length > 0) return [];
  const { machineConfigSelector, nodeSelector } = fieldsOf(object.spec);
  const selectors = [
    ["machineConfigSelector", machineConfigSelector, "renders no change for the pool"],
    ["nodeSelector", nodeSelector, "updates no node of any pool"],
  ] as const;
  return selectors.flatMap(([name, selector, effect]) => {
    if (selector === undefined || selector === null) return [];
    const read = readLabelSelector(selector);
    if ("selector" in read) return [];
    const { field, value, message } = read.error;
    return fieldIssue(object, ["spec", name, field].filter(Boolean).join("."), value, {
      code: "InvalidPoolSelector",
      message: sentence`${message}: with this selector, machine-config-operator ${effect}`,
      remedy: "Correct the selector.",
    });
  });
}

type PoolConfiguration = PoolFiles &
  Readonly<{
    issues: readonly Issue[];
    /** The files of all MachineConfigs but the generated one; undefined if the container runtime refuses one. */
    overriding: Overriding | undefined;
  }>;

type Rendered = Pick<MirrorConfiguration, "files" | "basis" | "releases">;

/** Returns the files of a pool's nodes: the rendered files, with the changes that MachineConfigs make. */
export function configurePool(
  pool: Pool,
  input: Pick<MirrorInput, "objects" | "image">,
  rendered: Rendered,
  readContent?: ContentReader,
): PoolConfiguration {
  const machineConfigs = input.objects.filter((object) => isKind(kinds.MachineConfig, object));
  const { current, isAssumed } = rendered.releases;
  const known = operatorForm(current);
  const form = { ...known, keepsSpecialBits: known.keepsSpecialBits && !isAssumed };
  const merged = poolFiles(pool, machineConfigs, rendered.files, form);
  const refusals = merged.files.flatMap((file) =>
    file.refusal === undefined ? [] : [refusedFileIssue({ file, problem: file.refusal })],
  );
  const files = merged.files.filter(
    ({ writtenBy = "", refusal }) => !isMachineConfigName(writtenBy) && refusal === undefined,
  );
  // `files` has no file of the generated MachineConfig.
  const own = tryLoadRegistries(files, "", readContent);
  // All files of registries.d are checked, the rendered file included, since they can contradict each other.
  const registries = ("entries" in own && refusedSignatureStorage(merged.files)) || own;
  const overriding = "problem" in own ? undefined : { files, registries: own };
  return {
    ...merged,
    overriding,
    issues: [
      ...merged.unread.map(unreadFileIssue),
      ...replacedFiles(input.objects, merged.replaced),
      ...refusals,
      ...nodeFileIssues(files, registries),
      ...(overriding ? overriddenObjects(input, rendered, overriding) : []),
    ],
  };
}

type ClusterNodes = Readonly<{
  filesOf: (pool: string) => readonly NodeFile[];
  issues: readonly Issue[];
  readContent: ContentReader;
}>;

/** Configures all pools as `configurePool` does. `filesOf` also accepts names of pools that the input lacks. */
export function configurePools(
  input: Pick<MirrorInput, "objects" | "image">,
  rendered: Rendered,
): ClusterNodes {
  const readContent = readingOnce();
  const known = new Map<string, PoolConfiguration>();
  const configurationOf = (name: string): PoolConfiguration => {
    const found =
      known.get(name) ?? configurePool(poolNamed(input.objects, name), input, rendered, readContent);
    known.set(name, found);
    return found;
  };
  const pools = poolsOf(input.objects);
  const hasMachineConfigs = input.objects.some((object) => isKind(kinds.MachineConfig, object));
  const changed = hasMachineConfigs ? pools : [];
  return {
    filesOf: (pool) => configurationOf(pool).files,
    issues: [
      ...input.objects.flatMap(nodeObjectRefusals),
      ...pools.flatMap(selectorIssues),
      ...withoutRepeats(changed.flatMap(({ name }) => configurationOf(name).issues)),
    ],
    readContent,
  };
}
