import type { GraphQuery, GraphResponse } from "../domain/precache-plan/policies/update-graph.ts";

/**
 * Where the image of an OpenShift release is looked up: a Cincinnati server, or a file with its response. Never throws:
 * an unavailable graph is a result, which becomes the condition of a ClusterGroupUpgrade.
 */
export type UpdateGraph = Readonly<{ ask(query: GraphQuery): Promise<GraphResponse> }>;
