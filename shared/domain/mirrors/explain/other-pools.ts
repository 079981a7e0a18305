import { isSameJson } from "../../json/values.ts";
import type { NodeFile } from "../../machine-config/node-file.ts";
import { type ImageExplainer, isSameRoute } from "./explain-image.ts";

type Pools = Readonly<{
  names: readonly string[];
  filesOf: (pool: string) => readonly NodeFile[];
}>;

/** Reading a large registries.conf again for each pool would take long. */
function hasSameTexts(a: readonly NodeFile[], b: readonly NodeFile[]): boolean {
  const textsOf = (files: readonly NodeFile[]) => files.map(({ path, contents }) => [path, contents]);
  return isSameJson(textsOf(a), textsOf(b));
}

/** Returns the pools whose nodes pull the explained image another way than nodes with these files. */
export function poolsThatDiffer(
  { names, filesOf }: Pools,
  files: readonly NodeFile[],
  explanation: ReturnType<ImageExplainer>,
  explainWith: (files: readonly NodeFile[]) => ReturnType<ImageExplainer>,
): readonly string[] {
  return names.filter((name) => {
    const others = filesOf(name);
    return !hasSameTexts(others, files) && !isSameRoute(explainWith(others), explanation);
  });
}
