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

/** A node's file. `machineConfig` names the MachineConfig that writes it; null for rendered files and input files. */
export type FileOrigin = Readonly<{ file: string; machineConfig: string | null }>;

/** The verdict of a signature policy on an image, and the file that has the policy. */
export type AppliedPolicy = PolicyVerdict & FileOrigin;

/** How a node pulls an image by one full reference. */
export type NameExplanation = Readonly<{
  image: string;
  /** The entry that decides, from registries.conf or a drop-in; null if no entry matches. */
  entry: RegistryEntry | null;
  entryOrigin: FileOrigin | null;
  /** All locations in the order of trying. Skipped locations are included. */
  candidates: readonly Candidate[];
  policy: AppliedPolicy;
}>;

/** How a node pulls an image. `names` has one element or, for a short name, one for each search registry, in order. */
export type ImageExplanation = Readonly<{
  image: string;
  resolvedBy: ResolvedName["by"];
  /** The file because of which CRI-O refuses an ambiguous short name. Absent if CRI-O does not refuse the name. */
  shortNameRefusedBy?: FileOrigin;
  names: readonly NameExplanation[];
}>;

export type ExplainOptions = Readonly<{
  /** The namespace of the pod that pulls. A namespace may have a signature policy of its own. */
  namespace?: string;
  /** Registries, or paths within registries, that are assumed to be down. */
  without?: readonly string[];
  /** Reads the contents of files. By default, each call reads all files again. */
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

/** Why an image cannot be explained: the name is invalid, or a file is refused (`refused`). */
export type ExplainProblem = Readonly<{ problem: string; refused?: RefusedFile }>;

function fileProblem(refused: RefusedFile): ExplainProblem {
  return { problem: sentence`${refused.file.path}: ${refused.problem}`, refused };
}

type ImageExplainer = (image: string) => ImageExplanation | ExplainProblem;

/** Returns a function that explains how a node pulls an image, or returns a `problem`. The files are read only once. */
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

/** Explains how a node with these files pulls one image, as `imageExplainer` does. */
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

const nodeKinds: readonly string[] = [kinds.MachineConfig.kind, kinds.MachineConfigPool.kind, "File"];

/** Returns all errors, but only those warnings that are about files or pools of nodes. */
export function issuesOfNodes(issues: readonly Issue[]): readonly Issue[] {
  return issues.filter(({ severity, object }) => severity === "error" || nodeKinds.includes(object.kind));
}
