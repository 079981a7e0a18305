import { existsSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { updateGraphFile } from "../../domain/manifests/manifests.ts";
import { parseGraph } from "../../domain/precache-plan/policies/update-graph.ts";
import { messageOf } from "../../domain/text/error-text.ts";
import type { UpdateGraph } from "../../ports/external-ports.ts";
import { readRegularFile } from "../file-text.ts";
import type { Environment } from "../settings/environment.ts";
import { hubFolder } from "../settings/hub-location.ts";
import { httpUpdateGraph } from "./http-update-graph.ts";

/** Returns the path of the first `update-graph.json` in these folders. Undefined if there is none. */
export function updateGraphIn(...folders: readonly (string | undefined)[]): string | undefined {
  return folders
    .flatMap((folder) => (folder ? [join(folder, updateGraphFile)] : []))
    .find((path) => existsSync(path));
}

/** Returns the update graph in a file: a Cincinnati server's saved response, used for every server and channel. */
export function fileUpdateGraph(path: string): UpdateGraph {
  return {
    async ask(query) {
      try {
        return parseGraph(await readRegularFile(path), query);
      } catch (error) {
        const why = messageOf(error);
        return { ok: false, message: `unable to read update graph file ${path}: ${why}` };
      }
    },
  };
}

/**
 * Opens the update graph: the file that HUBRELAY_UPDATE_GRAPH names, otherwise the file in the hub's folder, otherwise
 * the servers that OCM Policies name.
 */
export function openUpdateGraph(environment: Environment): UpdateGraph & Readonly<{ close(): void }> {
  const file = environment.HUBRELAY_UPDATE_GRAPH || updateGraphIn(hubFolder(environment));
  if (file) return { ...fileUpdateGraph(file), close: () => undefined };
  return httpUpdateGraph({ environment, userAgent: `hubrelay/${packageJson.version}` });
}
