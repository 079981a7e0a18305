import { isSameJson } from "../../kubernetes/json/values.ts";
import type { NodeFile } from "../../openshift/machine-config/node-file.ts";
import { sentence } from "../../text/redact.ts";
import { type ExplainOptions, explainImage, type ImageExplanation, isSameRoute } from "./explain-image.ts";
import { type PullVerdict, pullVerdict, type RenderedFrom } from "./pull-verdict.ts";

/** The nodes of a pool, and of the others. */
export type PoolNodes = Readonly<{
  pool: string;
  /** The names of all pools; none for the files of one node. */
  pools: readonly string[];
  filesOf: (pool: string) => readonly NodeFile[];
  renderedFrom: RenderedFrom | undefined;
  /** Which nodes, where they are of no pool. */
  which?: string | undefined;
}>;

/** Reading a large registries.conf again for each pool would take long. */
function hasSameTexts(a: readonly NodeFile[], b: readonly NodeFile[]): boolean {
  const textsOf = (files: readonly NodeFile[]) => files.map(({ path, contents }) => [path, contents]);
  return isSameJson(textsOf(a), textsOf(b));
}

/**
 * Returns how the nodes of a pool pull an image, whether they can, and the pools whose nodes pull it another way; for the
 * command and the page alike.
 */
export function explainOnPools(
  image: string,
  { pool, pools, filesOf, ...nodes }: PoolNodes,
  options: ExplainOptions,
):
  | Exclude<ReturnType<typeof explainImage>, ImageExplanation>
  | Readonly<{ explanation: ImageExplanation; verdict: PullVerdict; otherPools: readonly string[] }> {
  const files = filesOf(pool);
  const explanation = explainImage(image, files, options);
  if ("problem" in explanation) return explanation;
  const otherPools = pools.filter((name) => {
    const others = filesOf(name);
    return !hasSameTexts(others, files) && !isSameRoute(explainImage(image, others, options), explanation);
  });
  const ofPool = otherPools.length > 0 ? sentence`of pool ${pool}` : undefined;
  const verdict = pullVerdict(explanation, { ...nodes, which: nodes.which ?? ofPool });
  return { explanation, verdict, otherPools };
}
