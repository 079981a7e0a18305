import { sentence } from "../../credentials/redact.ts";
import { formatImageReference } from "../../images/image-reference.ts";
import { type NodeFile, namespacePolicyPath, nodePaths, textFile } from "../../machine-config/node-file.ts";
import { policyTemplate } from "../policies/policy-json.ts";
import { type ResolvedName, tryResolveName } from "../pull/image-name.ts";
import { type PolicyVerdict, tryFindPolicy } from "../pull/policy-verdict.ts";
import { type Candidate, resolve } from "../pull/resolve.ts";
import { defaultTemplate, tryParseRegistriesConf } from "../registries-conf/base-file.ts";
import { loadFailure } from "../registries-conf/load-failure.ts";
import type { RegistriesConf } from "../registries-conf/registries-conf.ts";
import type { RegistryEntry } from "../registries-conf/registry-entry.ts";

/** The requirement of policy.json that applies, and the file that holds it. */
export type AppliedPolicy = PolicyVerdict & Readonly<{ file: string }>;

/** The steps of a node that pulls one full reference. */
export type NameExplanation = Readonly<{
  /** The full reference, with tag or digest. */
  image: string;
  /** The entry of registries.conf that decides, null when none matches. */
  entry: RegistryEntry | null;
  /** Every location in the order of trying, skipped ones included. */
  candidates: readonly Candidate[];
  policy: AppliedPolicy;
}>;

/**
 * The steps of a node that pulls an image. `names` has one element, but for a short name one for every search
 * registry; they are tried in turn until one of them has the image.
 */
export type ImageExplanation = Readonly<{
  /** The image as requested. */
  image: string;
  /** How the full name was found. */
  resolvedBy: ResolvedName["by"];
  names: readonly NameExplanation[];
}>;

export type ExplainOptions = Readonly<{
  /** The namespace of the pod that pulls: it may have a signature policy of its own. */
  namespace?: string;
  /** The registries.conf of nodes without a MachineConfig that writes one. */
  template?: string;
}>;

type Node = Readonly<{ conf: RegistriesConf; search: readonly string[]; policyFile: NodeFile }>;

function tryReadNode(
  files: readonly NodeFile[],
  { namespace, template = defaultTemplate }: ExplainOptions,
): Node | { problem: string } {
  const find = (path: string) => files.find((file) => file.path === path);
  const parsed = tryParseRegistriesConf(find(nodePaths.registriesConf)?.contents ?? template);
  if ("problem" in parsed) return { problem: `${nodePaths.registriesConf}: ${parsed.problem}` };
  const dropIn = find(nodePaths.searchRegistries);
  const overriding = dropIn && tryParseRegistriesConf(dropIn.contents);
  if (overriding && "problem" in overriding)
    return { problem: `${nodePaths.searchRegistries}: ${overriding.problem}` };
  const { conf } = parsed;
  const failure = loadFailure(conf.entries);
  if (failure)
    return { problem: sentence`${nodePaths.registriesConf}: the container runtime refuses it: ${failure}` };
  const ownPolicy = namespace === undefined ? undefined : find(namespacePolicyPath(namespace));
  return {
    conf,
    search: overriding?.conf.unqualifiedSearchRegistries ?? conf.unqualifiedSearchRegistries ?? [],
    policyFile: ownPolicy ?? find(nodePaths.policy) ?? textFile(nodePaths.policy, policyTemplate),
  };
}

/** Explains one image after the other for the same node. */
export type ImageExplainer = (image: string) => ImageExplanation | Readonly<{ problem: string }>;

/**
 * Returns a function that explains how a node with these files pulls an image: the chosen entry, every location in
 * order, skipped ones with the reason, and the requirement of policy.json that the image must meet. It returns the
 * `problem` when the image name is invalid or a file cannot be read; it never throws. The files are read once.
 */
export function imageExplainer(files: readonly NodeFile[], options: ExplainOptions = {}): ImageExplainer {
  const node = tryReadNode(files, options);
  if ("problem" in node) return () => node;
  const { conf, search, policyFile } = node;
  return (image) => {
    const resolved = tryResolveName(image, { ...conf, unqualifiedSearchRegistries: search });
    if (!resolved) return { problem: `${JSON.stringify(image)} ${notAnImage(image, search)}` };
    const names: NameExplanation[] = [];
    for (const reference of resolved.references) {
      const policy = tryFindPolicy(policyFile.contents, reference);
      if (!policy) return { problem: sentence`${policyFile.path}: not a signature policy` };
      names.push({
        image: formatImageReference(reference),
        ...resolve(conf.entries, reference),
        policy: { file: policyFile.path, ...policy },
      });
    }
    return { image, resolvedBy: resolved.by, names };
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

function notAnImage(image: string, search: readonly string[]): string {
  if (/^[a-z-]+:\/\//.test(image)) return "is not an image name: remove the scheme.";
  if (search.length === 0 && !/^[^/]*[.:]/.test(image))
    return "has no host, and there are no search registries.";
  return "is not an image name: use [host[:port]/]path[:tag][@sha256:digest], with the path in lower case.";
}
