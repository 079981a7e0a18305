import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";

/** The outcomes that are published when all actions of a plan are done. */
export const outcomesOf = ({ actions }: Plan): readonly OutcomeEvent[] =>
  actions.flatMap(({ outcomes = [] }) => outcomes);
