import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { type Lab, registries } from "./support/network/lab.ts";
import type { Image } from "./support/registries/image.ts";
import { randomScenarios } from "./support/scenarios/random-scenario.ts";
import { readyIn } from "./support/scenarios/ready.ts";
import { explainPull, repositoryOf } from "./support/scenarios/scenario.ts";
import { test } from "./support/test.ts";

/* What `hubrelay ready` calls ready, podman pulls with the rendered files, and it refuses what ready calls missing. */

/** The number of images, and in how many of ten places each lies. */
const spread = [3, 6, 9];
/** In how many of ten places where an image lies a layer or its configuration is missing. */
const broken = 2;

/** What lies where depends only on the names, so that runs share what has been pushed. */
function coin(...parts: readonly (string | number)[]): number {
  const [first = 0] = createHash("sha256").update(parts.join(" ")).digest();
  return first % 10;
}

type Stock = Readonly<{ image: Image; tag: string; provide(repository: string): Promise<void> }>;

async function blobsOf({ layout, digest }: Image): Promise<readonly string[]> {
  const manifest = await readFile(join(layout, "blobs", digest.replace(":", "/")), "utf8");
  const { config, layers }: { config: { digest: string }; layers: readonly { digest: string }[] } =
    JSON.parse(manifest);
  return [config, ...layers].map((blob) => blob.digest);
}

/** An image that is pushed to each place that holds it before anything may look there. */
async function stock(lab: Lab, index: number): Promise<Stock> {
  const image = await lab.image();
  const tag = `v${index}`;
  const blobs = await blobsOf(image);
  const provided = new Set<string>();
  return {
    image,
    tag,
    async provide(repository) {
      const registry = repository.slice(0, repository.indexOf("/"));
      const isHeld = registry in registries && coin(index, repository) < (spread[index] ?? 0);
      if (provided.has(repository) || !isHeld) return;
      provided.add(repository);
      await lab.push(image, `${repository}:${tag}`);
      if (coin("broken", index, repository) >= broken) return;
      const gone = blobs[coin("blob", index, repository) % blobs.length] ?? "";
      await lab.removeBlob(repository, gone);
    },
  };
}

test("When configurations and faults are random, podman should pull what is ready, and nothing else", async ({
  lab,
}) => {
  const stocks = await Promise.all(spread.map((_, index) => stock(lab, index)));
  const seen: Record<string, number> = {};
  let pulls = 0;

  const agreed = fc.asyncProperty(randomScenarios(spread.length), async (scenario) => {
    const { refused, files, registriesConf } = configureMirrors(scenario);
    fc.pre(!refused);
    const stocked = stocks[scenario.held];
    if (!stocked) throw new Error(`there is no image ${scenario.held}`);
    const versions = [`:${stocked.tag}`, `@${stocked.image.digest}`];
    const names = scenario.pulls.flatMap((pull) => versions.map((version) => pull + version));
    const places = names.flatMap((name) => explainPull(name, files).flatMap(({ candidates }) => candidates));
    for (const { reference } of places.filter(({ taken }) => taken))
      await stocked.provide(repositoryOf(reference));

    const judged = await readyIn(lab, scenario, names);
    for (const name of names) {
      const one = judged.get(name);
      // A node of its own, since one that has a layer already does not pull it.
      const pull = await lab.pull(await lab.node(files), name);
      const from = one?.from ? repositoryOf(one.from) : undefined;
      const shown = `${name}\n${JSON.stringify(one, null, 2)}\n${registriesConf}\n${pull.stderr}`;
      expect(pull.from, shown).toBe(from);
      seen[one?.status ?? ""] = (seen[one?.status ?? ""] ?? 0) + 1;
      pulls++;
    }
  });
  const bounds = { interruptAfterTimeLimit: 280_000, markInterruptAsFailure: true };
  await fc.assert(agreed, { seed: 20_261_123, numRuns: 34, endOnFailure: true, ...bounds });

  expect(pulls).toBeGreaterThanOrEqual(200);
  // The configurations are only worth their time when the statuses that they can have are among the pulls.
  for (const status of ["ready", "source-only", "missing", "incomplete", "untrusted"])
    expect(seen[status] ?? 0, `${status} in ${JSON.stringify(seen)}`).toBeGreaterThanOrEqual(5);
});
