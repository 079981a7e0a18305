import fc from "fast-check";
import { expect } from "vitest";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { isHeld, randomScenarios, spread, stocks } from "./support/scenarios/random-scenario.ts";
import { expectPull, explainPull, repositoryOf } from "./support/scenarios/scenario.ts";
import { test } from "./support/test.ts";

test("When configurations are random, podman should do what hubrelay predicts", async ({ lab }) => {
  const stocked = await stocks(lab);
  const seen = { mirror: 0, source: 0, missing: 0, rejected: 0, nobodyAsked: 0, severalAsked: 0 };

  const predicted = fc.asyncProperty(randomScenarios(spread.length), async (scenario) => {
    const { files, registriesConf } = configureMirrors(scenario);
    const held = stocked[scenario.held];
    if (!held) throw new Error(`there is no image ${scenario.held}`);
    const node = await lab.node(files);
    const versions = [`:${held.tag}`, `@${held.image.digest}`];

    for (const name of scenario.pulls.flatMap((pull) => versions.map((version) => pull + version))) {
      const explained = explainPull(name, files);
      const places = explained.flatMap(({ candidates }) => candidates).filter(({ taken }) => taken);
      for (const { reference } of places) await held.provide(repositoryOf(reference));
      const pull = await lab.pull(node, name);
      const expected = expectPull(explained, (repository) => isHeld(scenario.held, repository));
      expect(pull, `${name}\n${registriesConf}\n${pull.stderr}`).toMatchObject(expected);

      const isRejected = pull.stderr.includes("rejected by policy");
      if (pull.from) seen[name.startsWith(pull.from) ? "source" : "mirror"] += 1;
      else seen[isRejected ? "rejected" : "missing"] += 1;
      if (pull.asked.length !== 1) seen[pull.asked.length === 0 ? "nobodyAsked" : "severalAsked"] += 1;
    }
  });
  // Stops while there is time to report the result: shrinking a counterexample takes many more pulls.
  const bounds = { interruptAfterTimeLimit: 240_000, markInterruptAsFailure: true };
  await fc.assert(predicted, { seed: 20_240_229, numRuns: 40, ...bounds });

  // The configurations are only worth their time when every kind of end is among the 240 pulls.
  for (const [end, count] of Object.entries(seen)) expect(count, end).toBeGreaterThanOrEqual(10);
});
