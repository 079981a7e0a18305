import packageJson from "../../../package.json" with { type: "json" };
import type { UpdateGraph } from "../../ports/update-graph.ts";
import type { Environment } from "../settings/environment.ts";
import { fileUpdateGraph } from "./file-update-graph.ts";
import { httpUpdateGraph } from "./http-update-graph.ts";

/**
 * Opens the update graph: the file that HUBRELAY_UPDATE_GRAPH names, for hubs that cannot reach a server, else the
 * servers that policies name.
 */
export function openUpdateGraph(environment: Environment): UpdateGraph & Readonly<{ close(): void }> {
  const { HUBRELAY_UPDATE_GRAPH: file } = environment;
  if (file) return { ...fileUpdateGraph(file), close: () => undefined };
  return httpUpdateGraph({ environment, userAgent: `hubrelay/${packageJson.version}` });
}
