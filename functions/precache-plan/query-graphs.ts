import { graphQueries } from "#shared/domain/precache/plan/graph-queries.ts";
import type { PlanInput, PlanOptions } from "#shared/domain/precache/plan/plan-input.ts";
import { type GraphResponse, graphUrl } from "#shared/domain/precache/plan/policies/update-graph.ts";
import type { UpdateGraph } from "#shared/ports/update-graph.ts";

/**
 * Queries the update graphs that a plan depends on. The policies that are not compliant may name another release than
 * all policies together, so one query may lead to a second.
 */
export async function queryGraphs(
  input: Omit<PlanInput, "lookup">,
  options: PlanOptions,
  updateGraph: UpdateGraph,
): Promise<ReadonlyMap<string, GraphResponse>> {
  const responses = new Map<string, GraphResponse>();
  for (;;) {
    const queries = graphQueries(input, options, responses);
    if (queries.length === 0) return responses;
    for (const query of queries) responses.set(graphUrl(query), await updateGraph.ask(query));
  }
}
