import { sentence } from "../../credentials/redact.ts";
import { fieldWarning, type Issue, type Problem } from "../../issues/issue.ts";
import { type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { type NodeFile, namespacePolicyPath, nodePaths } from "../../machine-config/node-file.ts";
import type { MirrorConfiguration, MirrorInput } from "../configuration.ts";
import { readRegistrySources, registrySources } from "../input/read-image.ts";
import { type MirrorRule, neverContactSource } from "../input/rules.ts";
import {
  type LintFinding,
  lintFinding,
  type Reporting,
  reported,
  scopeFinding,
} from "../lint/lint-finding.ts";
import { asLoaded } from "../registries-conf/load-failure.ts";
import type { LoadedRegistries } from "../registries-conf/load-registries.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";

/** The files that MachineConfigs write besides the rendered ones, or instead of them. */
export type Overriding = Readonly<{ files: readonly NodeFile[]; registries: LoadedRegistries }>;

function problem({ path, writtenBy = "" }: NodeFile, what: string): Omit<Problem, "severity"> {
  return {
    code: "OverriddenByMachineConfig",
    message: sentence`${what}: MachineConfig ${writtenBy} writes ${path}, which nodes use instead`,
    remedy: sentence`Remove the file from MachineConfig ${writtenBy}, or write there what this object should do.`,
  };
}

/** Returns the file that decides about a scope, with the entry that it has for it; undefined for a rendered entry. */
export function replacements({ files, registries }: Overriding) {
  const main = files.find(({ path }) => path === nodePaths.registriesConf);
  const byScope = new Map(registries.entries.map((entry) => [asLoaded(scopeOf(entry)), entry]));
  return (scope: string): Readonly<{ file: NodeFile; entry: RegistryEntry | undefined }> | undefined => {
    const entry = byScope.get(scope);
    if (entry) return { file: registries.fileOf(entry), entry };
    return main && { file: main, entry: undefined };
  };
}

function isEffective({ mirrors, policy }: MirrorRule, entry: RegistryEntry | undefined): boolean {
  const present = new Set(entry?.mirrors.map(({ location }) => asLoaded(location)));
  const isClosed = policy !== neverContactSource || entry?.blocked === true;
  return isClosed && mirrors.every((mirror) => present.has(mirror));
}

function ofRegistries(
  image: KubernetesObject | undefined,
  { merged, blocked, insecure }: NonNullable<MirrorConfiguration["basis"]>,
  overriding: Overriding,
): readonly LintFinding[] {
  const replacementOf = replacements(overriding);
  const rules = new Set(Object.values(merged).flatMap((groups) => groups.flatMap((group) => group.rules)));
  const ofRules = [...rules].flatMap((rule): LintFinding[] => {
    const replaced = replacementOf(rule.source);
    if (!replaced || isEffective(rule, replaced.entry)) return [];
    const what = sentence`Nodes do not use this rule of ${rule.source}`;
    return [
      lintFinding(rule, "", rule.source, { about: replaced.file.path, ...problem(replaced.file, what) }),
    ];
  });
  const ofLists = [
    ...blocked.map((listed) => ({ listed, flag: "blocked" }) as const),
    ...insecure.map((listed) => ({ listed, flag: "insecure" }) as const),
  ].flatMap(({ listed, flag }): LintFinding[] => {
    const replaced = replacementOf(listed.scope);
    if (!image || !replaced || replaced.entry?.[flag]) return [];
    const what = sentence`For nodes ${listed.scope} is not ${flag}`;
    return [scopeFinding(image, listed, { about: replaced.file.path, ...problem(replaced.file, what) })];
  });
  return [...ofRules, ...ofLists];
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

/**
 * Returns a warning for each object, or field of the Image configuration, that has no effect because a MachineConfig
 * writes an entry of the same scope, or the whole file.
 */
export function overriddenObjects(
  { image }: Pick<MirrorInput, "image">,
  { files, basis, ...reporting }: Pick<MirrorConfiguration, "files" | "basis"> & Reporting,
  overriding: Overriding,
): readonly Issue[] {
  if (overriding.files.length === 0) return [];
  return [
    ...(basis ? reported(ofRegistries(image, basis, overriding), reporting) : []),
    ...ofPolicies(image, { files, basis }, overriding),
  ];
}
