import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { updateGraphFile } from "../../domain/manifests/manifest-files.ts";
import { parseGraph } from "../../domain/precache/plan/policies/update-graph.ts";
import type { UpdateGraph } from "../../ports/update-graph.ts";

/** Returns the path of the update graph that lies beside manifests, as `update-graph.json`; undefined without one. */
export function updateGraphIn(folder: string): string | undefined {
  const path = join(folder, updateGraphFile);
  return existsSync(path) ? path : undefined;
}

/**
 * Returns the update graph in a file, a saved response of a Cincinnati server: for hubs that cannot reach a server. It
 * is used for every server and channel, and read again each time.
 */
export function fileUpdateGraph(path: string): UpdateGraph {
  return {
    async ask({ version }) {
      try {
        return parseGraph(await readFile(path, "utf8"), version);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { ok: false, message: `unable to read update graph file ${path}: ${why}` };
      }
    },
  };
}
