import type { PlanInput, PlanOptions } from "./plan-input.ts";
import { planPrecache } from "./plan-precache.ts";
import {
  type GraphLookup,
  type GraphQuery,
  type GraphResponse,
  graphKey,
  notQueried,
} from "./policies/update-graph.ts";

/**
 * Returns the releases of update graphs that a plan depends on, by planning without their responses. At most two,
 * because the policies that are not compliant are checked before all of them are.
 */
export function graphQueries(
  input: Omit<PlanInput, "lookup">,
  options: PlanOptions = {},
  responses: ReadonlyMap<string, GraphResponse> = new Map(),
): readonly GraphQuery[] {
  const missing = new Map<string, GraphQuery>();
  const lookup: GraphLookup = (query) => {
    const response = responses.get(graphKey(query));
    if (!response) missing.set(graphKey(query), query);
    return response ?? notQueried;
  };
  planPrecache({ ...input, lookup }, options);
  return [...missing.values()];
}

/** Returns a lookup of responses by `graphKey`. */
export function graphLookup(responses: ReadonlyMap<string, GraphResponse>): GraphLookup {
  return (query) => responses.get(graphKey(query)) ?? notQueried;
}
