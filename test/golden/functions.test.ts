import { test } from "vitest";
import { expectGolden } from "../support/golden/scenarios.ts";
import { stories } from "../support/golden/stories.ts";
import { goldenTrace } from "../support/golden/trace.ts";

test.for(stories.map((story) => [story.controller.name, story] as const))(
  "When %s gets messages, it should do what its trace shows",
  async ([name, { introduction, options, scenarios }]) => {
    const trace = goldenTrace(name, introduction, options);
    for (const scenario of scenarios) await scenario(trace);
    await expectGolden(trace);
  },
);
