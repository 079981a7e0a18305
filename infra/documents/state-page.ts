import { clusterStates, clusterTransitions } from "#shared/domain/precache/model/cluster-state.ts";
import { table, withGeneratedPart } from "./generated-part.ts";

/** Draws the states; a step has its reason beside it where no other step has the same one. */
function diagram(): string {
  const steps = clusterTransitions.flatMap(({ from, to, when }) =>
    from.flatMap((state) =>
      to.map((next) => `  ${state} --> ${next}${from.length * to.length > 1 ? "" : `: ${when}`}`),
    ),
  );
  return ["```mermaid", "stateDiagram-v2", "  [*] --> NotStarted", ...steps, "```"].join("\n");
}

/** Returns the page about pre-caching with the states of a cluster replaced: a table, a diagram, and what leads where. */
export function withStates(page: string): string {
  const states = clusterStates.map(({ state, meaning, phase }) => [
    state,
    meaning,
    phase === "running" ? "yes" : "no",
  ]);
  const steps = clusterTransitions.map(({ from, to, when }) => [from.join(", "), to.join(", "), when]);
  return withGeneratedPart(
    page,
    [table(["state", "meaning", "has a slot"], states), diagram(), table(["from", "to", "when"], steps)].join(
      "\n\n",
    ),
  );
}
