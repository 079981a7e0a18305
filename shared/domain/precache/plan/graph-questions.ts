import type { PlanInput, PlanOptions } from "./plan-input.ts";
import { planPrecache } from "./plan-precache.ts";
import {
  type GraphAnswer,
  type GraphLookup,
  type GraphQuery,
  graphUrl,
  unasked,
} from "./policies/update-graph.ts";

/**
 * Returns the update graphs that a plan depends on, by planning without their responses. At most two, because the
 * policies that are not compliant are checked before all of them are.
 */
export function graphQuestions(
  input: Omit<PlanInput, "lookup">,
  options: PlanOptions = {},
  answers: ReadonlyMap<string, GraphAnswer> = new Map(),
): readonly GraphQuery[] {
  const asked = new Map<string, GraphQuery>();
  const lookup: GraphLookup = (query) => {
    const answer = answers.get(graphUrl(query));
    if (!answer) asked.set(graphUrl(query), query);
    return answer ?? unasked;
  };
  planPrecache({ ...input, lookup }, options);
  return [...asked.values()];
}

/** Returns a lookup of responses by URL. */
export function graphLookup(answers: ReadonlyMap<string, GraphAnswer>): GraphLookup {
  return (query) => answers.get(graphUrl(query)) ?? unasked;
}
