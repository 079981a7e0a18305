import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { numberOfCases } from "../../test/support/number-of-cases.ts";

/** Domains whose tests count for each other: MachineConfigs are what mirrors are rendered into, images what they name. */
const domainOf = (file: string): string | undefined =>
  /shared\/domain\/([^/]+)/.exec(file)?.[1]?.replace(/^(?:machine-config|images|json)$/, "mirrors");

/**
 * A mutant's run ends at the first test that fails: its own file's tests go first, random cases last. The tests of
 * other domains, which use the mutated code, are left out.
 */
class LikeliestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const related = this.ctx.config.related ?? [];
    const mutated = related.map((file) => file.replace(/ts$/, ""));
    const domains = new Set(related.map(domainOf));
    const rank = ({ moduleId }: TestSpecification): number => {
      if (mutated.some((file) => moduleId.startsWith(file))) return 0;
      return moduleId.endsWith(".properties.test.ts") ? 2 : 1;
    };
    return files
      .filter(({ moduleId }) => domains.has(domainOf(moduleId)))
      .toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

/**
 * What Stryker runs: the tests beside the mutated files, and no others, so that a mutant is killed by a test of
 * its own domain or not at all.
 */
export default defineConfig({
  // A mutant that hundreds of random cases do not kill is hardly killed by thousands, but each one waits for them.
  plugins: [numberOfCases(100)],
  test: {
    name: "mutation",
    include: [
      "shared/domain/{mirrors,images,json,machine-config,hosted-clusters,windows,precache}/**/*.test.ts",
    ],
    setupFiles: ["test/support/random-cases.ts", "tools/mutation/setup.ts"],
    sequence: { sequencer: LikeliestFirst },
    isolate: false,
    testTimeout: 30_000,
  },
});
