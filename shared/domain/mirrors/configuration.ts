import { hasErrors, type Issue } from "../issues/issue.ts";
import { byCodeUnit } from "../json/order.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type NodeFile, nodePaths, textFile } from "../machine-config/node-file.ts";
import type { Build, EntryBasis } from "./build/build.ts";
import { buildLenient } from "./build/build-lenient.ts";
import { buildMcoCompat } from "./build/build-mco-compat.ts";
import { type ReadInput, readInput } from "./build/read-input.ts";
import { defaultRegistriesConf, tryParseRegistriesConf } from "./registries-conf/base-file.ts";
import {
  encodeRegistriesConf,
  encodeSearchRegistries,
  type RegistriesConf,
} from "./registries-conf/registries-conf.ts";
import type { RegistryEntry } from "./registries-conf/registry-entry.ts";

/** Everything that the configuration of the container runtime is rendered from. */
export type MirrorInput = Readonly<{
  /**
   * ImageDigestMirrorSets, ImageTagMirrorSets, ImageContentSourcePolicies, ClusterImagePolicies and
   * ImagePolicies; any others are passed over.
   */
  objects: readonly KubernetesObject[];
  /** `image.config.openshift.io` `cluster`. */
  image?: KubernetesObject;
  /** `clusterversion.config.openshift.io` `version`: names the release payload, which must stay reachable. */
  clusterVersion?: KubernetesObject;
  /** The release payload where there is no ClusterVersion; wins over it. */
  releaseImage?: string;
  /** The registries.conf that nodes have before anything is configured; machine-config-operator's by default. */
  template?: string;
  /** What was applied last: a source whose rules contradict each other keeps its mirrors from there. */
  previous?: Readonly<{ registriesConf: string }>;
}>;

export type MirrorOptions = Readonly<{
  /** Render and refuse exactly as machine-config-operator does, its traps included. */
  compat?: "mco";
  /** Render nothing when there is any error, instead of leaving out what is wrong. */
  strict?: boolean;
}>;

export type MirrorConfiguration = Readonly<{
  /** Nothing may be rendered or written. */
  refused: boolean;
  issues: readonly Issue[];
  /** The `[[registry]]` tables in file order. */
  entries: readonly RegistryEntry[];
  /** What the entries were made from (`explainSources`); undefined when refused. */
  basis: EntryBasis | undefined;
  /** The text of registries.conf: the encoded template when nothing is configured, empty when refused. */
  registriesConf: string;
  /** What a MachineConfig holds, in its order: only files that differ from the template. */
  files: readonly NodeFile[];
  /** Rules that take effect. */
  applied: number;
  /** Rules that do not, because something is wrong with them. */
  leftOut: number;
}>;

function unreadableTemplate(template: string | undefined, problem: string): Issue {
  return {
    code: "InvalidTemplate",
    severity: "error",
    object: { kind: "File", name: "registries.conf" },
    path: "1:1",
    value: template,
    message: `error unmarshalling registries config: ${problem}`,
    remedy: "Give a base file in the version 2 format of containers-registries.conf(5).",
  };
}

/** machine-config-operator stops at the first failure, and so it is the only one that it tells. */
function firstErrorOnly(issues: readonly Issue[]): readonly Issue[] {
  const first = issues.find(({ severity }) => severity === "error");
  return issues.filter((issue) => issue.severity !== "error" || issue === first);
}

type Template = Readonly<{ conf: RegistriesConf } | { problem: string }>;

function readTemplate(template: string | undefined): Template {
  return template === undefined ? { conf: defaultRegistriesConf } : tryParseRegistriesConf(template);
}

function previousEntries(previous: MirrorInput["previous"]): readonly RegistryEntry[] {
  const parsed = previous && tryParseRegistriesConf(previous.registriesConf);
  // A file that cannot be read has no state that could be kept; it never took effect either.
  return parsed && "conf" in parsed ? parsed.conf.entries : [];
}

/** By kind, namespace and name, so that nothing in the answer depends on the order of the input. */
function inStableOrder(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return [...objects].sort(
    (a, b) =>
      byCodeUnit(a.kind, b.kind) ||
      byCodeUnit(a.metadata.namespace ?? "", b.metadata.namespace ?? "") ||
      byCodeUnit(a.metadata.name, b.metadata.name),
  );
}

/** The files that are written to nodes, in the order of the MachineConfig. */
function listFiles({ sources }: ReadInput, draft: Build, registriesConf: string): readonly NodeFile[] {
  const search = sources.search && encodeSearchRegistries(sources.search);
  return [
    ...(draft.writesRegistries ? [textFile(nodePaths.registriesConf, registriesConf)] : []),
    ...draft.policyFiles,
    ...(search === undefined ? [] : [textFile(nodePaths.searchRegistries, search)]),
  ];
}

/**
 * Turns mirror objects and the Image configuration into the files of a node. Pure, and never throws: whatever
 * is wrong with the input becomes an issue.
 *
 * By default a rule that is wrong is left out and all others are rendered; only a result that would cut nodes
 * off from their release payload is refused as a whole. The answer does not depend on the order of `objects`.
 * With `compat: "mco"` files and refusals are those of machine-config-operator, byte for byte; what it only
 * logs, ignores or leaves to the API server is a warning.
 */
export function configureMirrors(input: MirrorInput, options: MirrorOptions = {}): MirrorConfiguration {
  const likeMco = options.compat === "mco";
  // What machine-config-operator reports depends on the order it is given; what hubrelay says must not.
  const objects = likeMco ? input.objects : inStableOrder(input.objects);
  const read = readInput({ ...input, objects }, likeMco ? "mco" : "default");
  const total = read.rules.length + read.unreadable;
  const refusal = (issues: readonly Issue[]): MirrorConfiguration => ({
    refused: true,
    issues: likeMco ? firstErrorOnly(issues) : issues,
    entries: [],
    basis: undefined,
    registriesConf: "",
    files: [],
    applied: 0,
    leftOut: total,
  });

  const template = readTemplate(input.template);
  if ("problem" in template) return refusal([unreadableTemplate(input.template, template.problem)]);
  const { conf } = template;
  const base = { entries: conf.entries, previous: previousEntries(input.previous) };
  const draft = likeMco ? buildMcoCompat(read, base) : buildLenient(read, base);
  const mustBeRight = likeMco || options.strict === true;
  if (draft.isUnsafe || (mustBeRight && hasErrors(draft.issues))) return refusal(draft.issues);

  const registriesConf = encodeRegistriesConf({ ...conf, entries: draft.entries });
  return {
    refused: false,
    issues: draft.issues,
    entries: draft.entries,
    basis: draft.basis,
    registriesConf,
    files: listFiles(read, draft, registriesConf),
    applied: draft.rules.length,
    leftOut: total - draft.rules.length,
  };
}
