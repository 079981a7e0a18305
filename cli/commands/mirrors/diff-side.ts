import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { inputKinds } from "#functions/mirror-config/watches.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { byCodeUnit } from "#shared/domain/json/order.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { type NodeFile, nodePaths, textFile } from "#shared/domain/machine-config/node-file.ts";
import { chosenSide } from "../../io/chosen-side.ts";
import { readLiveHub } from "../../io/live-hub.ts";
import { type PlaceIssues, readObjects, readTexts, withoutPlaces } from "../../io/manifest-source.ts";

/** The content of an argument of `hubrelay diff`: objects to render, or files of a node. */
export type GivenSide =
  | Readonly<{ objects: readonly KubernetesObject[]; issues: readonly Issue[]; place: PlaceIssues }>
  | Readonly<{ files: readonly NodeFile[]; paths: ReadonlySet<string> | undefined }>;

/** What a live hub is read for: the nodes' files, and the mirrors of hosted clusters' nodes. */
const sideKinds = [...inputKinds, kinds.HostedCluster, kinds.NodePool];

/** Returns true for a folder that is the root of a node, as `render -o files --dir` writes it. */
async function isNodeRoot(path: string): Promise<boolean> {
  const found = await Promise.all(
    ["etc/containers", "etc/crio"].map((folder) => stat(join(path, folder)).catch(() => undefined)),
  );
  return found.some((stats) => stats?.isDirectory());
}

async function readNodeRoot(root: string): Promise<readonly NodeFile[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.sort(byCodeUnit).map(async (path) => ({
      path: path.slice(join(root, "/").length - 1),
      mode: (await stat(path)).mode & 0o777,
      contents: await readFile(path, "utf8"),
    })),
  );
}

function isPolicyJson(contents: string): boolean {
  try {
    const value: unknown = JSON.parse(contents);
    return isRecord(value) && value.kind === undefined && Array.isArray(value.default);
  } catch {
    // Not JSON, so not a policy.json.
    return false;
  }
}

/** Returns the path on a node of a rendered file, by its name or content; undefined for manifests. */
function renderedPath(name: string, contents: string): string | undefined {
  const known = Object.values(nodePaths).find((path) => basename(path) === name);
  if (known) return known;
  if (/\.(?:conf|toml)$/.test(name)) return nodePaths.registriesConf;
  // At the start of a line: in manifests that contain such a file it is indented.
  if (/^(?:unqualified-search-registries\s*=|\[\[registry\]\])/m.test(contents))
    return nodePaths.registriesConf;
  return isPolicyJson(contents) ? nodePaths.policy : undefined;
}

/**
 * Reads one side: a file or directory of manifests, a folder that is the root of a node, one file of a node, `-` for
 * standard input, or `hub` for the live hub (a folder of that name is `./hub`). Throws `UsageError` for a path that cannot
 * be read.
 */
export async function readSide(path: string): Promise<GivenSide> {
  if (path === "hub") return { objects: await readLiveHub(sideKinds), issues: [], place: withoutPlaces };
  const isDirectory = path !== "-" && (await stat(path).catch(() => undefined))?.isDirectory();
  if (isDirectory && (await isNodeRoot(path))) return { files: await readNodeRoot(path), paths: undefined };
  const texts = await readTexts([path]);
  const [single] = isDirectory ? [] : texts.sources;
  const place = single && renderedPath(basename(path), single.text);
  if (place) return { files: [textFile(place, single.text)], paths: new Set([place]) };
  const read = readObjects(texts);
  const {
    objects,
    issues,
    place: withPlaces,
  } = chosenSide(read.sides(), [...inputKinds, kinds.MachineConfig]);
  return { objects, issues: [...read.ofFiles, ...issues], place: withPlaces };
}
