import { type ResolvedName, tryResolveName } from "../../images/image-name.ts";
import { formatImageReference } from "../../images/image-reference.ts";
import type { Issue } from "../../issues/issue.ts";
import { isSameJson } from "../../kubernetes/json/values.ts";
import { kinds } from "../../kubernetes/object.ts";
import { isMachineConfigName } from "../../openshift/machine-config/machine-config.ts";
import {
  type NodeFile,
  namespacePolicyPath,
  nodePaths,
  textFile,
} from "../../openshift/machine-config/node-file.ts";
import { sentence } from "../../text/redact.ts";
import { policyTemplate } from "../policies/policy-json.ts";
import { whileDown } from "../pull/outage.ts";
import { findPolicy, type PolicyRules, type PolicyVerdict, readPolicyRules } from "../pull/policy-verdict.ts";
import { type Candidate, resolve } from "../pull/pull-sources.ts";
import {
  type ContentReader,
  type LoadedRegistries,
  type RefusedFile,
  tryLoadRegistries,
} from "../registries-conf/load-registries.ts";
import type { RegistryEntry } from "../registries-conf/registries-conf.ts";

/** A file of a node. `machineConfig` is the MachineConfig that writes it: null for rendered files and input files. */
export type FileOrigin = Readonly<{ file: string; machineConfig: string | null }>;

/** The requirement of policy.json that applies, and the file that holds it. */
export type AppliedPolicy = PolicyVerdict & FileOrigin;

/** How a node pulls by one full reference: the deciding entry, the locations and the signature policy. */
export type NameExplanation = Readonly<{
  /** The full reference, with tag or digest. */
  image: string;
  /** The entry that decides, in registries.conf or in a drop-in; null when none matches. */
  entry: RegistryEntry | null;
  entryOrigin: FileOrigin | null;
  /** Every location in the order of trying, skipped ones included. */
  candidates: readonly Candidate[];
  policy: AppliedPolicy;
}>;

/**
 * How a node pulls an image. `names` has one element or, for a short name, one for every search registry; the node
 * tries them in turn until one has the image.
 */
export type ImageExplanation = Readonly<{
  /** The image as requested. */
  image: string;
  resolvedBy: ResolvedName["by"];
  /** The file that makes CRI-O refuse the short name, as several search registries may have the image; else absent. */
  shortNameRefusedBy?: FileOrigin;
  names: readonly NameExplanation[];
}>;

export type ExplainOptions = Readonly<{
  /** The namespace of the pod that pulls, which may have a signature policy of its own. */
  namespace?: string;
  /** The registries, or paths within registries, that are assumed to be down. */
  without?: readonly string[];
  /** Reads the contents of files; by default each call reads every file again. */
  readContent?: ContentReader;
}>;

type Node = Readonly<{ registries: LoadedRegistries; policyFile: NodeFile; rules: PolicyRules }>;

function tryReadNode(
  files: readonly NodeFile[],
  { namespace, readContent }: ExplainOptions,
): Node | RefusedFile {
  const find = (path: string) => files.find((file) => file.path === path);
  const registries = tryLoadRegistries(files, undefined, readContent);
  if ("problem" in registries) return registries;
  const ownPolicy = namespace === undefined ? undefined : find(namespacePolicyPath(namespace));
  const policyFile = ownPolicy ?? find(nodePaths.policy) ?? textFile(nodePaths.policy, policyTemplate);
  const rules = readPolicyRules(policyFile.contents);
  return "problem" in rules ? { file: policyFile, ...rules } : { registries, policyFile, rules };
}

/** Why an image cannot be explained: an invalid name, or a file that the container runtime refuses. */
export type ExplainProblem = Readonly<{ problem: string; refused?: RefusedFile }>;

function fileProblem(refused: RefusedFile): ExplainProblem {
  return { problem: sentence`${refused.file.path}: ${refused.problem}`, refused };
}

type ImageExplainer = (image: string) => ImageExplanation | ExplainProblem;

/**
 * Returns a function that explains how a node with these files pulls an image: the chosen entry, every location in
 * order, skipped ones with the reason, and the requirement of policy.json that the image must meet. It returns the
 * `problem` when the image name is invalid or a file cannot be read; it never throws. The files are read once.
 */
export function imageExplainer(files: readonly NodeFile[], options: ExplainOptions = {}): ImageExplainer {
  const node = tryReadNode(files, options);
  if ("problem" in node) return () => fileProblem(node);
  const { registries, policyFile, rules } = node;
  const { entries, search, aliases, shortNamesRefusedBy } = registries;
  return (image) => {
    const resolved = tryResolveName(image, { unqualifiedSearchRegistries: search, aliases });
    if (!resolved) return { problem: sentence`${JSON.stringify(image)} ${notAnImage(image, search)}` };
    const isAmbiguous = resolved.by === "search" && resolved.references.length > 1;
    const refusedBy = isAmbiguous && shortNamesRefusedBy;
    const names = resolved.references.map((reference): NameExplanation => {
      const { entry, candidates: all } = resolve(entries, reference);
      const candidates = all.map((candidate) => whileDown(candidate, options.without ?? []));
      return {
        image: formatImageReference(reference),
        entry,
        entryOrigin: entry && originOf(registries.fileOf(entry)),
        candidates: refusedBy ? candidates.map(notTried) : candidates,
        policy: { ...originOf(policyFile), ...findPolicy(rules, reference) },
      };
    });
    const refusal = refusedBy ? { shortNameRefusedBy: originOf(refusedBy) } : {};
    return { image, resolvedBy: resolved.by, ...refusal, names };
  };
}

/** Explains how a node with these files pulls one image: see `imageExplainer`. */
export function explainImage(
  image: string,
  files: readonly NodeFile[],
  options: ExplainOptions = {},
): ReturnType<ImageExplainer> {
  return imageExplainer(files, options)(image);
}

/** Reports whether two explanations have the same locations in the same order, and the same signature policy. */
export function isSameRoute(a: ReturnType<ImageExplainer>, b: ReturnType<ImageExplainer>): boolean {
  const routeOf = (one: typeof a) =>
    "problem" in one
      ? one.problem
      : one.names.map(({ image, candidates, policy: { requirements } }) => ({
          image,
          candidates,
          requirements,
        }));
  return isSameJson(routeOf(a), routeOf(b));
}

const notTried = (candidate: Candidate): Candidate => ({
  ...candidate,
  taken: false,
  reason: candidate.reason ?? "pull-fails",
});

function originOf({ path, writtenBy }: NodeFile): FileOrigin {
  const isRendered = writtenBy === undefined || isMachineConfigName(writtenBy);
  return { file: path, machineConfig: isRendered ? null : writtenBy };
}

function notAnImage(image: string, search: readonly string[]): string {
  if (/^[a-z-]+:\/\//.test(image)) return "is not an image name: remove the scheme.";
  if (search.length === 0 && !/^[^/]*[.:]/.test(image))
    return "has no host, and there are no search registries.";
  return "is not an image name: use [host[:port]/]path[:tag][@sha256:digest], with the path in lower case.";
}

/** The kinds of objects that issues about nodes name; `File` is a file that no object writes. */
const nodeKinds: readonly string[] = [kinds.MachineConfig.kind, kinds.MachineConfigPool.kind, "File"];

/** Returns the errors, and only those warnings that are about files or pools of nodes: `validate` shows the rest. */
export function issuesOfNodes(issues: readonly Issue[]): readonly Issue[] {
  return issues.filter(({ severity, object }) => severity === "error" || nodeKinds.includes(object.kind));
}
