import { graphQuestions } from "#shared/domain/precache/plan/graph-questions.ts";
import type { PlanInput, PlanOptions } from "#shared/domain/precache/plan/plan-input.ts";
import { type GraphAnswer, graphUrl } from "#shared/domain/precache/plan/policies/update-graph.ts";
import type { UpdateGraph } from "#shared/ports/update-graph.ts";

/**
 * Queries the update graphs that a plan depends on. The policies that are not compliant may name another release than
 * all policies together, so one query may lead to a second.
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
