import { readFile } from "node:fs/promises";
import { parseGraph } from "../../domain/precache/plan/policies/update-graph.ts";
import type { UpdateGraph } from "../../ports/update-graph.ts";

/**
 * The update graph in a file, as a Cincinnati server has answered it once: for hubs without a way to the server. It
 * is the answer for every server and channel, and is read again each time.
 */
export function fileUpdateGraph(path: string): UpdateGraph {
  return {
    async ask() {
      try {
        return parseGraph(await readFile(path, "utf8"));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { ok: false, message: `unable to read update graph file ${path}: ${why}` };
      }
    },
  };
}
