import { fieldIssue, fieldWarning, type Issue, type Problem } from "../../issues/issue.ts";
import { isKind, type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { fieldOfFile, roleLabel } from "../../openshift/machine-config/machine-config.ts";
import { type NodeFile, namespacePolicyPath, nodePaths } from "../../openshift/machine-config/node-file.ts";
import type { PoolFiles } from "../../openshift/machine-config/pool-files.ts";
import { counted } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import type { MirrorConfiguration, MirrorInput } from "../configuration.ts";
import { readRegistrySources, registrySources } from "../input/read-image.ts";
import { type MirrorRule, neverContactSource } from "../input/rules.ts";
import { gather, lintFinding, scopeFinding } from "../lint/lint-finding.ts";
import { asLoaded } from "../registries-conf/load-failure.ts";
import type { LoadedRegistries } from "../registries-conf/load-registries.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";

/** The files of all MachineConfigs but the generated one, and the registries.conf that nodes load from these files. */
export type Overriding = Readonly<{ files: readonly NodeFile[]; registries: LoadedRegistries }>;

function problem({ path, writtenBy = "" }: NodeFile, what: string): Omit<Problem, "severity"> {
  return {
    code: "OverriddenByMachineConfig",
    message: sentence`${what}: MachineConfig ${writtenBy} writes ${path}, which nodes use instead`,
    remedy: sentence`Remove the file from MachineConfig ${writtenBy}, or write there what this object should do.`,
  };
}

/** Returns a function that takes a scope and returns the file and entry that replace the rendered entry, if any. */
export function replacements({ files, registries }: Overriding) {
  const main = files.find(({ path }) => path === nodePaths.registriesConf);
  const byScope = new Map(registries.entries.map((entry) => [asLoaded(scopeOf(entry)), entry]));
  return (scope: string): Readonly<{ file: NodeFile; entry: RegistryEntry | undefined }> | undefined => {
    const entry = byScope.get(scope);
    if (entry) return { file: registries.fileOf(entry), entry };
    return main && { file: main, entry: undefined };
  };
}

const machineConfigNamed = (objects: readonly KubernetesObject[], wanted: string): KubernetesObject =>
  objects.find((one) => isKind(kinds.MachineConfig, one) && one.metadata.name === wanted) ?? {
    ...kinds.MachineConfig,
    metadata: { name: wanted },
  };

const poolOf = ({ metadata }: KubernetesObject): string => {
  const role = metadata.labels?.[roleLabel];
  return role === undefined ? "its pool" : sentence`pool ${role}`;
};

/** `rules` are those of `all` that a file overrides. `entries` is the number of such scopes in lists of the Image. */
type TakenOver = Readonly<{ rules: readonly MirrorRule[]; all: readonly MirrorRule[]; entries: number }>;

function lostText({ rules, all, entries }: TakenOver, pool: string): string {
  const used = all.length - rules.length;
  const sets = new Set(all.map(({ origin }) => origin.object)).size;
  const given = sentence`${counted(all.length, "rule")} of ${counted(sets, "mirror set")}`;
  const some = sentence`${used === 0 ? "none" : `only ${used}`} of the ${given} ${used > 1 ? "work" : "works"} on ${pool}`;
  const scopes = sentence`${pool} ignores ${counted(entries, "scope")} in lists of Image/cluster`;
  return [...(rules.length > 0 ? [some] : []), ...(entries > 0 ? [scopes] : [])].join("; ");
}

function takeOverIssue(
  objects: readonly KubernetesObject[],
  { path, writtenBy = "" }: NodeFile,
  lost: TakenOver,
): Issue {
  const { rules, all } = lost;
  const object = machineConfigNamed(objects, writtenBy);
  return fieldIssue(object, fieldOfFile(object, path), path, {
    code: "OverriddenByMachineConfig",
    severity: rules.length > 0 && rules.length === all.length ? "error" : "warning",
    message: sentence`This file replaces the rendered one: ${lostText(lost, poolOf(object))}`,
    remedy: "Remove the file, or write a drop-in of registries.conf.d with only the entries that differ.",
  });
}

/** Returns a warning for each file that has no effect because a later MachineConfig writes the same file. */
export function replacedFiles(
  objects: readonly KubernetesObject[],
  replaced: PoolFiles["replaced"],
): readonly Issue[] {
  return replaced.map(({ machineConfig, path, by }) => {
    const object = machineConfigNamed(objects, machineConfig);
    return fieldWarning(object, fieldOfFile(object, path), path, {
      code: "ReplacedNodeFile",
      message: sentence`This file has no effect: ${by}, whose name is later, writes it too`,
      remedy: "Remove the file, or write a drop-in of registries.conf.d with the entries that nodes lack.",
    });
  });
}

function isEffective({ mirrors, policy }: MirrorRule, entry: RegistryEntry | undefined): boolean {
  const present = new Set(entry?.mirrors.map(({ location }) => asLoaded(location)));
  const isClosed = policy !== neverContactSource || entry?.blocked === true;
  return isClosed && mirrors.every((mirror) => present.has(mirror));
}

function ofRegistries(
  { objects, image }: Pick<MirrorInput, "objects" | "image">,
  { merged, blocked, insecure }: NonNullable<MirrorConfiguration["basis"]>,
  overriding: Overriding,
): readonly Issue[] {
  const replacementOf = replacements(overriding);
  const all = [...new Set(Object.values(merged).flatMap((groups) => groups.flatMap((group) => group.rules)))];
  const ofRules = all.flatMap((rule) => {
    const replaced = replacementOf(rule.source);
    return replaced && !isEffective(rule, replaced.entry) ? [{ rule, file: replaced.file }] : [];
  });
  const ofLists = [
    ...blocked.map((listed) => ({ listed, flag: "blocked" }) as const),
    ...insecure.map((listed) => ({ listed, flag: "insecure" }) as const),
  ].flatMap(({ listed, flag }) => {
    const replaced = replacementOf(listed.scope);
    return image && replaced && !replaced.entry?.[flag] ? [{ image, listed, flag, file: replaced.file }] : [];
  });
  const findings = [
    ...ofRules.map(({ rule, file }) => {
      const what = sentence`Nodes do not use this rule of ${rule.source}`;
      const finding = { about: file.path, ...problem(file, what) };
      return { file, finding: lintFinding(rule, "", rule.source, finding) };
    }),
    ...ofLists.map(({ image: object, listed, flag, file }) => {
      const what = sentence`For nodes ${listed.scope} is not ${flag}`;
      return { file, finding: scopeFinding(object, listed, { about: file.path, ...problem(file, what) }) };
    }),
  ];
  const isMain = ({ file }: Readonly<{ file: NodeFile }>) => file.path === nodePaths.registriesConf;
  const ofMain = [...ofRules, ...ofLists].find(isMain);
  const rules = ofRules.filter(isMain).map(({ rule }) => rule);
  return [
    ...(ofMain
      ? [takeOverIssue(objects, ofMain.file, { rules, all, entries: ofLists.filter(isMain).length })]
      : []),
    ...gather(findings.filter((one) => !isMain(one)).map(({ finding }) => finding)),
  ];
}

function warning(object: KubernetesObject, path: string, file: NodeFile, what: string): Issue {
  return fieldWarning(object, path, undefined, problem(file, what));
}

function ofPolicies(
  image: KubernetesObject | undefined,
  { files: rendered, basis }: Pick<MirrorConfiguration, "files" | "basis">,
  { files, registries: { searchFile } }: Overriding,
): readonly Issue[] {
  const { allowed = [], blocked = [] } = readRegistrySources(image).sources;
  const isRendered = (path: string) => rendered.some((file) => file.path === path);
  const replaced = (path: string) =>
    isRendered(path) ? files.find((file) => file.path === path) : undefined;
  const policy = replaced(nodePaths.policy);
  const hasSearch = isRendered(nodePaths.searchRegistries);
  const search = hasSearch && searchFile.path >= nodePaths.searchRegistries ? searchFile : undefined;
  return [
    ...(policy && image && allowed.length + blocked.length > 0
      ? [warning(image, registrySources, policy, "Nodes do not use its allowed and blocked lists")]
      : []),
    ...(search?.writtenBy && image
      ? [
          warning(
            image,
            `${registrySources}.containerRuntimeSearchRegistries`,
            search,
            "Nodes do not use this list",
          ),
        ]
      : []),
    ...(basis?.policies ?? []).flatMap(({ object }): Issue[] => {
      const { namespace } = object.metadata;
      const isOfNamespace = namespace !== undefined && object.kind === kinds.ImagePolicy.kind;
      const file = replaced(isOfNamespace ? namespacePolicyPath(namespace) : nodePaths.policy);
      return file ? [warning(object, "spec.scopes", file, "Nodes do not use this policy")] : [];
    }),
  ];
}

/** Returns issues about objects and fields of the Image that have no effect because MachineConfigs override them. */
export function overriddenObjects(
  { objects, image }: Pick<MirrorInput, "objects" | "image">,
  { files, basis }: Pick<MirrorConfiguration, "files" | "basis">,
  overriding: Overriding,
): readonly Issue[] {
  if (overriding.files.length === 0) return [];
  return [
    ...(basis ? ofRegistries({ objects, ...(image ? { image } : {}) }, basis, overriding) : []),
    ...ofPolicies(image, { files, basis }, overriding),
  ];
}
