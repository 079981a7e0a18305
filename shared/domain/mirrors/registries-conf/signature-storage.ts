import { sentence } from "../../credentials/redact.ts";
import { byCodeUnit, fieldsOf, isRecord } from "../../json/values.ts";
import { isSignatureStorage, type NodeFile, nodePaths } from "../../machine-config/node-file.ts";
import { parseYamlDocument, YamlDocumentError } from "../../manifests/yaml-document.ts";

/** Returns the names that a file of registries.d defines, or why it is none. */
function definedIn({ contents }: NodeFile): Readonly<{ names: readonly string[] } | { problem: string }> {
  try {
    const { value } = parseYamlDocument(contents);
    if (value !== null && !isRecord(value)) return { problem: "it is not a YAML object" };
    const { docker, "default-docker": ofAll } = fieldsOf(value);
    if ([docker, ofAll].some((field) => !isRecord(field ?? {})))
      return { problem: "docker or default-docker is not a YAML object" };
    const names = Object.keys(fieldsOf(docker)).map((name) => sentence`docker ${name}`);
    return { names: [...(isRecord(ofAll) ? ["default-docker"] : []), ...names] };
  } catch (error) {
    if (!(error instanceof YamlDocumentError)) throw error;
    return { problem: sentence`it is not YAML: ${error.message}` };
  }
}

/**
 * Returns the first file of registries.d that the container runtime refuses: it reads all of them at each pull, and no two
 * may define the same. Source: containers/image v5.36.2,
 * docker/registries_d.go, loadAndMergeConfig.
 */
export function refusedSignatureStorage(
  files: readonly NodeFile[],
): Readonly<{ file: NodeFile; problem: string }> | undefined {
  const all = files.filter(({ path }) => isSignatureStorage(path));
  // The rendered file alone is always valid, and may be large.
  if (all.every(({ path }) => path === nodePaths.sigstoreRegistries)) return undefined;
  const definedBy = new Map<string, string>();
  // The rendered file first: what repeats it is to change.
  const isOther = ({ path }: NodeFile) => Number(path !== nodePaths.sigstoreRegistries);
  for (const file of all.toSorted((a, b) => isOther(a) - isOther(b) || byCodeUnit(a.path, b.path))) {
    const read = definedIn(file);
    if ("problem" in read) return { file, problem: read.problem };
    for (const name of read.names) {
      const other = definedBy.get(name);
      if (other !== undefined) return { file, problem: sentence`${other} defines ${name}, too` };
      definedBy.set(name, file.path);
    }
  }
  return undefined;
}
