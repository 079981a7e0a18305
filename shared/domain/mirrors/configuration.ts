import { hasErrors, type Issue } from "../issues/issue.ts";
import { byCodeUnit } from "../kubernetes/json/values.ts";
import { byNamespaceAndName, isKind, type Kind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { type NodeFile, nodePaths, textFile } from "../openshift/machine-config/node-file.ts";
import { type ClusterReleases, clusterReleases } from "../openshift/releases/cluster-releases.ts";
import { type OperatorForm, operatorForm } from "../openshift/releases/machine-config-operator.ts";
import { withPayloadPolicy } from "../openshift/releases/payload-signature-policy.ts";
import type { Release } from "../openshift/releases/release.ts";
import type { Refusing } from "./input/validate-rules.ts";
import { type Build, build, type EntryBasis } from "./node-config/build.ts";
import { type ReadInput, readInput, type Writer } from "./node-config/read-input.ts";
import { defaultRegistriesConf } from "./registries-conf/base-file.ts";
import {
  encodeRegistriesConf,
  encodeSearchRegistries,
  type RegistryEntry,
} from "./registries-conf/registries-conf.ts";

/** The input from which the mirror configuration of nodes is rendered. */
export type MirrorInput = Readonly<{
  /** Mirror objects and image policies. FeatureGate and Infrastructure decide whether the payload's policy is added. */
  objects: readonly KubernetesObject[];
  /** Image `cluster` of config.openshift.io. */
  image?: KubernetesObject;
  clusterVersion?: KubernetesObject;
  /** The release image. It takes precedence over the ClusterVersion. */
  releaseImage?: string;
  /** The version of OpenShift on the nodes. It takes precedence over the ClusterVersion. */
  releaseVersion?: string;
  /**
   * The images that the release lists in its image-references. If absent, OpenShift's own repositories are assumed for
   * a release image of OpenShift.
   */
  releaseImages?: readonly string[];
  /** Why the release's images could not be read. Absent if they were read, or if nobody tried to read them. */
  releaseProblem?: string;
  /** Locations (`host/path@digest`) that are known to lack an image of the release. */
  absentImages?: ReadonlySet<string>;
}>;

export type MirrorOptions = Readonly<{
  /** The writer of the files: machine-config-operator by default. */
  writer?: Writer;
  /** True if the objects come from a hub. What only an API server or a node refuses is then a warning. */
  isStored?: boolean;
  /** The release whose machine-config-operator writes the files. By default, the release of the cluster. */
  release?: Release;
}>;

type Rendered = Readonly<{
  entries: readonly RegistryEntry[];
  /** The input of `explainSources`; undefined if the configuration is refused. */
  basis: EntryBasis | undefined;
  /** The text of registries.conf: by default the template's content; empty if the configuration is refused. */
  registriesConf: string;
  /** The files of the MachineConfig, in its order. Files that nothing configures are left out. */
  files: readonly NodeFile[];
  /** The number of rules that take effect. */
  applied: number;
  /** The number of rules that have no effect because of errors. */
  leftOut: number;
}>;

export type MirrorConfiguration = Rendered &
  Readonly<{
    /** True if nothing may be rendered, because of errors. The nodes then keep the files that they have. */
    refused: boolean;
    /** The result of only the valid rules, to be shown to users. Undefined if the configuration is not refused. */
    validRules: Rendered | undefined;
    issues: readonly Issue[];
    releases: ClusterReleases;
    /** The version of Ignition for a MachineConfig with these files. */
    ignition: OperatorForm["ignition"];
  }>;

function inStableOrder(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return [...objects].sort((a, b) => byCodeUnit(a.kind, b.kind) || byNamespaceAndName(a, b));
}

const rejections: ReadonlySet<string> = new Set(["PayloadRejected", "OnlyPayloadAllowed"]);

/** hubrelay writes no files with which nodes would reject images of their release. */
const asOwnRefusal = (issue: Issue): Issue =>
  rejections.has(issue.code) ? { ...issue, severity: "error" } : issue;

function listFiles({ sources, form }: ReadInput, built: Build, registriesConf: string): readonly NodeFile[] {
  const search = sources.search && encodeSearchRegistries(sources.search, form);
  return [
    ...(built.writesRegistries ? [textFile(nodePaths.registriesConf, registriesConf)] : []),
    ...built.policyFiles,
    ...(search === undefined ? [] : [textFile(nodePaths.searchRegistries, search)]),
  ];
}

/**
 * Renders a node's files, byte for byte as machine-config-operator writes them, and returns issues. Renders none if the
 * operator refuses the input; if hubrelay is the writer, any error is enough. Never throws.
 */
export function configureMirrors(input: MirrorInput, options: MirrorOptions = {}): MirrorConfiguration {
  const { writer = "machine-config-operator", isStored = false } = options;
  const releases = clusterReleases(input.clusterVersion, input.releaseVersion);
  const form = operatorForm(options.release ?? releases.current);
  const ignition = writer === "hubrelay" && releases.isAssumed ? "3.4.0" : form.ignition;
  const nothing = { entries: [], basis: undefined, registriesConf: "", files: [], applied: 0, leftOut: 0 };
  const given = withPayloadPolicy(input, options.release);
  // The operator stops at the first error in the hub's order. Objects from elsewhere are sorted.
  const objects = isStored ? given : inStableOrder(given);
  const render = (refusing: Refusing) => {
    const read = readInput({ ...input, objects }, { writer, refusing, releases, form });
    const built = build(read, refusing);
    const { entries, basis, rules, issues } = built;
    const registriesConf = encodeRegistriesConf({ ...defaultRegistriesConf, entries }, form);
    const files = listFiles(read, built, registriesConf);
    const total = read.rules.length + read.unreadable;
    const applied = rules.length;
    const rendered = { entries, basis, registriesConf, files, applied, leftOut: total - applied };
    return { rendered, issues, total };
  };
  const first = render(isStored ? "operator" : "anyone");
  const issues = writer === "hubrelay" ? first.issues.map(asOwnRefusal) : first.issues;
  // After errors, the files are rendered as the operator does: it may accept what API servers or nodes refuse.
  const isLast = isStored || writer === "hubrelay" || !hasErrors(issues);
  const written = isLast ? { ...first, issues } : render("operator");
  const refused = hasErrors(written.issues);
  return {
    ...(refused ? { ...nothing, leftOut: first.total } : written.rendered),
    refused,
    validRules: refused ? first.rendered : undefined,
    issues,
    releases,
    ignition,
  };
}

/** Returns the configuration to show to users: a refused configuration gets the result of its valid rules. */
export const shownConfiguration = (configuration: MirrorConfiguration): MirrorConfiguration => ({
  ...configuration,
  ...configuration.validRules,
});

/** The sentence that users see above the content of a refused configuration. */
export const refusedText =
  "The configuration has errors, so nothing of it reaches the nodes: they keep what they have. What is shown is what its valid rules alone would give.";

/** Returns the input of a mirror configuration from the objects of a cluster. */
export function mirrorInputOf(objects: readonly KubernetesObject[]): MirrorInput {
  const named = (kind: Kind, name: string): KubernetesObject | undefined =>
    objects.find((object) => isKind(kind, object) && object.metadata.name === name);
  const image = named(kinds.Image, "cluster");
  const clusterVersion = named(kinds.ClusterVersion, "version");
  return { objects, ...(image ? { image } : {}), ...(clusterVersion ? { clusterVersion } : {}) };
}
