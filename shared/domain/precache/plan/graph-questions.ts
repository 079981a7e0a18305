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
 * The update graphs that a plan depends on: it is made once without their answers. At most two, for the policies
 * that have something to do are looked at alone before all of them are.
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

/** Looks answers up by the URL that stands for their question. */
export function graphLookup(answers: ReadonlyMap<string, GraphAnswer>): GraphLookup {
  return (query) => answers.get(graphUrl(query)) ?? unasked;
}
