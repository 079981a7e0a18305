import { inputKinds } from "#functions/mirror-config/watches.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { NodeFile } from "#shared/domain/machine-config/node-file.ts";
import { chosenSide } from "../../io/chosen-side.ts";
import { readLiveHub } from "../../io/live-hub.ts";
import { type PlaceIssues, readObjects, withoutPlaces } from "../../io/manifest-source.ts";
import { readTextsAndNodeFiles } from "../../io/manifest-texts.ts";

/** The content of an argument of `hubrelay diff`: objects to render, or files of a node. */
export type GivenSide =
  | Readonly<{ objects: readonly KubernetesObject[]; issues: readonly Issue[]; place: PlaceIssues }>
  | Readonly<{ files: readonly NodeFile[]; paths: ReadonlySet<string> | undefined }>;

/** What a live hub is read for: the nodes' files, and the mirrors of hosted clusters' nodes. */
const sideKinds = [...inputKinds, kinds.HostedCluster, kinds.NodePool];

/**
 * Reads one side: a file or directory of manifests, a folder of a node, one file of a node, `-` for
 * standard input, or `hub` for the live hub (a folder of that name is `./hub`). Throws `UsageError` for a path that cannot
 * be read.
 */
export async function readSide(path: string): Promise<GivenSide> {
  if (path === "hub") {
    const objects = await readLiveHub(sideKinds, [kinds.MachineConfig]);
    return { objects, issues: [], place: withoutPlaces };
  }
  const { texts, nodeFiles, isWholeNode } = await readTextsAndNodeFiles([path]);
  if (isWholeNode || nodeFiles.length > 0)
    return { files: nodeFiles, paths: isWholeNode ? undefined : new Set(nodeFiles.map((file) => file.path)) };
  return chosenSide(readObjects(texts), [...inputKinds, kinds.MachineConfig]);
}
