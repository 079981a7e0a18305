import type { PlanInput, PlanOptions } from "./plan-input.ts";
import { planPrecache } from "./plan-precache.ts";
import {
  type GraphLookup,
  type GraphQuery,
  type GraphResponse,
  graphUrl,
  notQueried,
} from "./policies/update-graph.ts";

/**
 * Returns the update graphs that a plan depends on, by planning without their responses. At most two, because the
 * policies that are not compliant are checked before all of them are.
 */
export function graphQueries(
  input: Omit<PlanInput, "lookup">,
  options: PlanOptions = {},
  responses: ReadonlyMap<string, GraphResponse> = new Map(),
): readonly GraphQuery[] {
  const missing = new Map<string, GraphQuery>();
  const lookup: GraphLookup = (query) => {
    const response = responses.get(graphUrl(query));
    if (!response) missing.set(graphUrl(query), query);
    return response ?? notQueried;
  };
  planPrecache({ ...input, lookup }, options);
  return [...missing.values()];
}

/** Returns a lookup of responses by URL. */
export function graphLookup(responses: ReadonlyMap<string, GraphResponse>): GraphLookup {
  return (query) => responses.get(graphUrl(query)) ?? notQueried;
}
