import { stories } from "../golden/stories.ts";

/** The scenarios of all golden traces, each with the name of its function and its own. */
export const scenarios = stories.flatMap(({ controller, scenarios: all }) =>
  all.map((scenario) => [controller.name, scenario.name, scenario] as const),
);
