import packageJson from "../../../package.json" with { type: "json" };
import type { UpdateGraph } from "../../ports/update-graph.ts";
import type { Environment } from "../settings/environment.ts";
import { hubFolder } from "../settings/hub-location.ts";
import { fileUpdateGraph, updateGraphIn } from "./file-update-graph.ts";
import { httpUpdateGraph } from "./http-update-graph.ts";

/**
 * Opens the update graph: the file that HUBRELAY_UPDATE_GRAPH names, for hubs that cannot reach a server, else the one in
 * the hub's folder, else the servers that policies name.
 */
export function openUpdateGraph(environment: Environment): UpdateGraph & Readonly<{ close(): void }> {
  const file = environment.HUBRELAY_UPDATE_GRAPH || updateGraphIn(hubFolder(environment));
  if (file) return { ...fileUpdateGraph(file), close: () => undefined };
  return httpUpdateGraph({ environment, userAgent: `hubrelay/${packageJson.version}` });
}
