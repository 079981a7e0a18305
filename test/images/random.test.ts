import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { type Lab, registries } from "./support/network/lab.ts";
import type { Image } from "./support/registries/image.ts";
import { expectPull, explainPull, repositoryOf } from "./support/scenarios/prediction.ts";
import { randomScenarios } from "./support/scenarios/random-scenario.ts";
import { test } from "./support/test.ts";

/** The number of images, and in how many of ten places each lies. */
const spread = [2, 5, 8];

/** Whether a place holds an image depends only on its name, so that runs share what has been pushed. */
function isHeld(image: number, repository: string): boolean {
  const [coin = 0] = createHash("sha256").update(`${image} ${repository}`).digest();
  return coin % 10 < (spread[image] ?? 0);
}

type Stock = Readonly<{ image: Image; tag: string; provide(repository: string): Promise<void> }>;

/** An image that is pushed to each place that holds it before a pull may look there. */
async function stock(lab: Lab, index: number): Promise<Stock> {
  const image = await lab.image();
  const tag = `v${index}`;
  const provided = new Set<string>();
  return {
    image,
    tag,
    provide: async (repository) => {
      const registry = repository.slice(0, repository.indexOf("/"));
      if (provided.has(repository) || !(registry in registries) || !isHeld(index, repository)) return;
      provided.add(repository);
      await lab.push(image, `${repository}:${tag}`);
    },
  };
}

test("When configurations are random, podman should do what hubrelay predicts", async ({ lab }) => {
  const stocks = await Promise.all(spread.map((_, index) => stock(lab, index)));
  const seen = { mirror: 0, source: 0, missing: 0, rejected: 0, nobodyAsked: 0, severalAsked: 0 };

  const predicted = fc.asyncProperty(randomScenarios(spread.length), async (scenario) => {
    const { files, registriesConf } = configureMirrors(scenario);
    const stocked = stocks[scenario.held];
    if (!stocked) throw new Error(`there is no image ${scenario.held}`);
    const node = await lab.node(files);
    const versions = [`:${stocked.tag}`, `@${stocked.image.digest}`];

    for (const name of scenario.pulls.flatMap((pull) => versions.map((version) => pull + version))) {
      const explained = explainPull(name, files);
      const places = explained.flatMap(({ candidates }) => candidates).filter(({ taken }) => taken);
      for (const { reference } of places) await stocked.provide(repositoryOf(reference));
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
