import { sentence } from "../credentials/redact.ts";
import { fieldIssue, hasErrors, type Issue } from "../issues/issue.ts";
import { byCodeUnit } from "../json/values.ts";
import { byNamespaceAndName, isKind, type Kind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { type NodeFile, namespaceOfPolicyPath, nodePaths, textFile } from "../machine-config/node-file.ts";
import { type ClusterReleases, clusterReleases } from "../releases/cluster-releases.ts";
import { type OperatorForm, operatorForm, ownForm } from "../releases/machine-config-operator.ts";
import { withPayloadPolicy } from "../releases/payload-policy.ts";
import type { Release } from "../releases/release.ts";
import { readRegistrySources } from "./input/read-image.ts";
import type { Reporting } from "./lint/lint-finding.ts";
import type { Build, BuildBase, EntryBasis } from "./node-config/build.ts";
import { buildLenient } from "./node-config/build-lenient.ts";
import { buildMcoCompat } from "./node-config/build-mco-compat.ts";
import { type ReadInput, readInput } from "./node-config/read-input.ts";
import { renderWithinLimit } from "./node-config/within-limit.ts";
import { acceptAnything, type Requirement, readSignaturePolicy, reject } from "./policies/requirement.ts";
import {
  defaultRegistriesConf,
  defaultTemplate,
  tryParseRegistriesConf,
} from "./registries-conf/base-file.ts";
import {
  encodeRegistriesConf,
  encodeSearchRegistries,
  type RegistriesConf,
  type RegistryEntry,
} from "./registries-conf/registries-conf.ts";

/** The input of the container runtime's configuration. */
export type MirrorInput = Readonly<{
  /**
   * ImageDigestMirrorSets, ImageTagMirrorSets, ImageContentSourcePolicies, ClusterImagePolicies and ImagePolicies;
   * FeatureGate and Infrastructure decide whether the payload's own policy is added. Others are ignored.
   */
  objects: readonly KubernetesObject[];
  /** `image.config.openshift.io` `cluster`. */
  image?: KubernetesObject;
  /** `clusterversion.config.openshift.io` `version`: names the release payload, which must stay reachable. */
  clusterVersion?: KubernetesObject;
  /** The release payload without a ClusterVersion; takes precedence over it. */
  releaseImage?: string;
  /** The version of OpenShift on the nodes; takes precedence over the history of the ClusterVersion. */
  releaseVersion?: string;
  /**
   * The images in the release, as its image-references name them. Without them the repositories of a known publisher
   * are protected.
   */
  releaseImages?: readonly string[];
  /** Why those images could not be read. */
  releaseProblem?: string;
  /** References of these images that the registries of mirrors do not have, by `host/path@digest`. */
  absentImages?: ReadonlySet<string>;
  /** The registries.conf of nodes without configuration; machine-config-operator's by default. */
  template?: string;
  /**
   * The files that were applied last: what is left out now keeps what they block, the mirrors of its sources and the
   * signatures that its scopes need.
   */
  previous?: Readonly<{
    registriesConf: string;
    policyJson?: string;
    /** The policies of namespaces, by namespace. */
    namespacePolicies?: ReadonlyMap<string, string>;
  }>;
}>;

export type MirrorOptions = Reporting &
  Readonly<{
    /** Renders and refuses exactly as machine-config-operator does, its defects included. */
    compat?: "mco";
    /** With `compat`: the release whose operator is reproduced, if it is not the one that the cluster runs. */
    release?: Release;
    /** Renders nothing when there is any error, instead of leaving out the invalid parts. */
    strict?: boolean;
  }>;

export type MirrorConfiguration = Readonly<{
  /** Nothing may be rendered or written. */
  refused: boolean;
  issues: readonly Issue[];
  /** The `[[registry]]` tables in file order. */
  entries: readonly RegistryEntry[];
  /** The inputs of the entries (`explainSources`); undefined when refused. */
  basis: EntryBasis | undefined;
  /** The text of registries.conf: the encoded template when nothing is configured, empty when refused. */
  registriesConf: string;
  /** The releases of the cluster, which decide how the files are written with `compat`. */
  releases: ClusterReleases;
  /** The version of Ignition for a MachineConfig with the files. */
  ignition: OperatorForm["ignition"];
  /** The files of a MachineConfig, in its order: only files that differ from the template. */
  files: readonly NodeFile[];
  /** The number of rules that take effect. */
  applied: number;
  /** The number of rules that do not, because of errors. */
  leftOut: number;
}>;

function unreadableTemplate(template: string | undefined, problem: string): Issue {
  return fieldIssue({ kind: "File", name: "registries.conf" }, "1:1", template, {
    code: "InvalidTemplate",
    message: sentence`error unmarshalling registries config: ${problem}`,
    remedy: "Give a base file in the version 2 format of containers-registries.conf(5).",
  });
}

/** machine-config-operator stops at the first failure and reports only that. */
function firstErrorOnly(issues: readonly Issue[]): readonly Issue[] {
  const first = issues.find(({ severity }) => severity === "error");
  return issues.filter((issue) => issue.severity !== "error" || issue === first);
}

type Template = Readonly<{ conf: RegistriesConf } | { problem: string }>;

function readTemplate(template: string | undefined): Template {
  if (template === undefined || template === defaultTemplate) return { conf: defaultRegistriesConf };
  const parsed = tryParseRegistriesConf(template);
  // machine-config-operator ignores these tables, so that what they say would be lost.
  return "version1" in parsed
    ? { problem: sentence`it has version 1 of the format (${parsed.version1})` }
    : parsed;
}

/** An unreadable file never took effect, so it has no state to keep. */
function readApplied({
  registriesConf,
  policyJson = "",
  namespacePolicies = new Map(),
}: NonNullable<MirrorInput["previous"]>): ReturnType<BuildBase["applied"]> {
  const parsed = tryParseRegistriesConf(registriesConf);
  const cluster = readSignaturePolicy(policyJson);
  const scopesWhere = (isOne: (requirements: readonly Requirement[]) => boolean) =>
    new Set([...cluster.scopes].flatMap(([scope, requirements]) => (isOne(requirements) ? scope : [])));
  return {
    entries: "conf" in parsed ? parsed.conf.entries : [],
    rejected: scopesWhere((requirements) => requirements.includes(reject)),
    accepted: scopesWhere((requirements) => requirements.every((one) => one === acceptAnything)),
    policies: {
      cluster,
      namespaces: new Map(
        [...namespacePolicies].map(([namespace, text]) => [namespace, readSignaturePolicy(text)]),
      ),
    },
  };
}

/** Makes the result independent of the input's order. */
function inStableOrder(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return [...objects].sort((a, b) => byCodeUnit(a.kind, b.kind) || byNamespaceAndName(a, b));
}

type Rendered = Readonly<{ draft: Build; registriesConf: string; files: readonly NodeFile[] }>;

/** In the order of the MachineConfig. */
function listFiles({ sources, form }: ReadInput, draft: Build, registriesConf: string): readonly NodeFile[] {
  const search = sources.search && encodeSearchRegistries(sources.search, form);
  return [
    ...(draft.writesRegistries ? [textFile(nodePaths.registriesConf, registriesConf)] : []),
    ...draft.policyFiles,
    ...(search === undefined ? [] : [textFile(nodePaths.searchRegistries, search)]),
  ];
}

/**
 * Renders the files of a node from mirror objects and the Image configuration. Pure, and never throws: every
 * problem of the input becomes an issue.
 *
 * By default an invalid rule is left out and all others are rendered, and so are image policies of namespaces that make
 * the files too large; only a result with which nodes could not pull their release payload is refused as a whole. The
 * result does not depend on the order of `objects`. With `compat: "mco"` files and refusals are those of the cluster's
 * machine-config-operator, byte for byte; what it only logs, ignores or leaves to the API server is a warning.
 */
export function configureMirrors(input: MirrorInput, options: MirrorOptions = {}): MirrorConfiguration {
  const likeMco = options.compat === "mco";
  const given = withPayloadPolicy(input, options.release);
  // machine-config-operator's report depends on the input's order; hubrelay's must not.
  const objects = likeMco ? given : inStableOrder(given);
  const releases = clusterReleases(input.clusterVersion, input.releaseVersion);
  const form = likeMco ? operatorForm(options.release ?? releases.current) : ownForm;
  const read = readInput({ ...input, objects }, { compat: likeMco ? "mco" : "default", releases, form });
  const total = read.rules.length + read.unreadable;
  const refusal = (issues: readonly Issue[]): MirrorConfiguration => ({
    refused: true,
    issues: likeMco ? firstErrorOnly(issues) : issues,
    entries: [],
    basis: undefined,
    registriesConf: "",
    releases,
    ignition: form.ignition,
    files: [],
    applied: 0,
    leftOut: total,
  });

  const template = readTemplate(input.template);
  if ("problem" in template) return refusal([unreadableTemplate(input.template, template.problem)]);
  const { conf } = template;
  const { previous = { registriesConf: "" } } = input;
  const base = { entries: conf.entries, applied: () => readApplied(previous), reporting: options };
  const render = (from: ReadInput): Rendered => {
    const draft = likeMco ? buildMcoCompat(from, base) : buildLenient(from, base);
    const registriesConf = encodeRegistriesConf({ ...conf, entries: draft.entries }, form);
    return { draft, registriesConf, files: listFiles(from, draft, registriesConf) };
  };
  const { draft, registriesConf, files } = likeMco ? render(read) : renderWithinLimit(read, render);
  const mustBeRight = likeMco || options.strict === true;
  if (draft.isUnsafe || (mustBeRight && hasErrors(draft.issues))) return refusal(draft.issues);

  return {
    refused: false,
    issues: draft.issues,
    entries: draft.entries,
    basis: draft.basis,
    registriesConf,
    releases,
    ignition: form.ignition,
    files,
    applied: draft.rules.length,
    leftOut: total - draft.rules.length,
  };
}

/** Sorts objects into the input of the mirror configuration. */
export function mirrorInputOf(objects: readonly KubernetesObject[]): MirrorInput {
  const named = (kind: Kind, name: string): KubernetesObject | undefined =>
    objects.find((object) => isKind(kind, object) && object.metadata.name === name);
  const image = named(kinds.Image, "cluster");
  const clusterVersion = named(kinds.ClusterVersion, "version");
  return { objects, ...(image ? { image } : {}), ...(clusterVersion ? { clusterVersion } : {}) };
}

/** Returns what the next configuration keeps of the files that are applied now. */
export function previousOf(files: readonly NodeFile[]): NonNullable<MirrorInput["previous"]> {
  const contentsOf = (path: string) => files.find((file) => file.path === path)?.contents ?? "";
  const ofNamespaces = files.flatMap(({ path, contents }) => {
    const namespace = namespaceOfPolicyPath(path);
    return namespace === undefined ? [] : [[namespace, contents] as const];
  });
  return {
    registriesConf: contentsOf(nodePaths.registriesConf),
    policyJson: contentsOf(nodePaths.policy),
    namespacePolicies: new Map(ofNamespaces),
  };
}

const rejections: readonly string[] = ["PayloadRejected", "OnlyPayloadAllowed"];

/**
 * Returns the issues of images of the release that machine-config-operator's policy.json rejects and hubrelay's does not:
 * on most clusters the operator writes that file.
 */
export function rejectedByOperator(input: MirrorInput): readonly Issue[] {
  const { blocked = [] } = readRegistrySources(input.image).sources;
  if (blocked.length === 0) return [];
  return configureMirrors(input, { compat: "mco" }).issues.filter(({ code }) => rejections.includes(code));
}
