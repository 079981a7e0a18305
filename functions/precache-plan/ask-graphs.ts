import { graphQuestions } from "#shared/domain/precache/plan/graph-questions.ts";
import type { PlanInput, PlanOptions } from "#shared/domain/precache/plan/plan-input.ts";
import { type GraphAnswer, graphUrl } from "#shared/domain/precache/plan/policies/update-graph.ts";
import type { UpdateGraph } from "#shared/ports/update-graph.ts";

/**
 * Asks the update graph all that a plan depends on: the policies with something to do may name another release than
 * all of them together, so there may be a second question after the first.
 */
export async function askGraphs(
  input: Omit<PlanInput, "lookup">,
  options: PlanOptions,
  updateGraph: UpdateGraph,
): Promise<ReadonlyMap<string, GraphAnswer>> {
  const answers = new Map<string, GraphAnswer>();
  for (;;) {
    const questions = graphQuestions(input, options, answers);
    if (questions.length === 0) return answers;
    for (const query of questions) answers.set(graphUrl(query), await updateGraph.ask(query));
  }
}
