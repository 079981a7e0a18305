import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { byCodeUnit, isRecord, parseJson } from "#shared/domain/kubernetes/json/values.ts";
import type { ManifestText } from "#shared/domain/manifests/issue-places.ts";
import { isManifestFile } from "#shared/domain/manifests/manifests.ts";
import {
  isDropIn,
  type NodeFile,
  nodePaths,
  textFile,
} from "#shared/domain/openshift/machine-config/node-file.ts";

const containers = "/etc/containers";
const dropIns = dirname(nodePaths.searchRegistries);

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function filesBelow(folder: string, onNode: string): Promise<readonly NodeFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.sort(byCodeUnit).map(async (path) => ({
      path: join(onNode, path.slice(folder.length)),
      mode: (await stat(path)).mode & 0o777,
      contents: await readFile(path, "utf8"),
    })),
  );
}

/** A folder with a node's registries.conf, its drop-ins or policy.json, and no manifests beside them. */
async function isContainersFolder(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  const known = ["registries.conf", "registries.conf.d", "policy.json"];
  return (
    names.some((name) => known.includes(name)) &&
    !names.some((name) => isManifestFile(name) && name !== "policy.json")
  );
}

/**
 * Returns the files in a folder that is the root of a node, as `render -o files --dir` writes it, or its etc/containers,
 * or registries.conf.d there; undefined for another folder.
 */
export async function readNodeFolder(folder: string): Promise<readonly NodeFile[] | undefined> {
  const parts = ["etc/containers", "etc/crio"];
  const present = await Promise.all(parts.map((part) => isFolder(join(folder, part))));
  const found = parts.filter((_, index) => present[index]);
  if (found.length > 0)
    return (await Promise.all(found.map((part) => filesBelow(join(folder, part), `/${part}`)))).flat();
  if (basename(folder) === basename(dropIns)) return filesBelow(folder, dropIns);
  return (await isContainersFolder(folder)) ? filesBelow(folder, containers) : undefined;
}

function isPolicyJson(contents: string): boolean {
  const value = parseJson(contents);
  return isRecord(value) && value.kind === undefined && Array.isArray(value.default);
}

/** Returns the path on a node of a file, by its name, folder or content; undefined for manifests. */
function pathOnNode(file: string, contents: string): string | undefined {
  const name = basename(file);
  const known = Object.values(nodePaths).find((path) => basename(path) === name);
  if (known) return known;
  if (basename(dirname(file)) === basename(dropIns) && isDropIn(join(dropIns, name)))
    return join(dropIns, name);
  if (/\.(?:conf|toml)$/.test(name)) return nodePaths.registriesConf;
  // At the start of a line: in manifests that contain such a file it is indented.
  if (/^(?:unqualified-search-registries\s*=|\[\[registry\]\]|\[registries\.\w+\])/m.test(contents))
    return nodePaths.registriesConf;
  return isPolicyJson(contents) ? nodePaths.policy : undefined;
}

/**
 * Takes the files of nodes from the texts that were named; what is in a folder of manifests is a manifest. The first of
 * several files whose names say nothing is registries.conf, the others are its drop-ins.
 */
export function splitNodeFiles(
  sources: readonly ManifestText[],
): Readonly<{ files: readonly NodeFile[]; manifests: readonly ManifestText[] }> {
  const read = sources.map((source) => ({
    source,
    path: source.isInFolder ? undefined : pathOnNode(source.file, source.text),
  }));
  const main = read.find(({ path }) => path === nodePaths.registriesConf);
  const files = read.flatMap((one): NodeFile[] => {
    const { source, path } = one;
    if (path === undefined) return [];
    const isDropInOfMain = path === nodePaths.registriesConf && one !== main;
    return [textFile(isDropInOfMain ? join(dropIns, basename(source.file)) : path, source.text)];
  });
  return { files, manifests: read.flatMap(({ source, path }) => (path === undefined ? [source] : [])) };
}
