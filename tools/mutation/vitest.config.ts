import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { numberOfCases } from "../../test/support/setup/number-of-cases.ts";

/** Returns the domain of a file: a function, or a folder of the domain. Mirrors, MachineConfigs, images and JSON are one. */
const domainOf = (file: string): string | undefined =>
  /(?:shared\/domain|functions)\/[^/]+/
    .exec(file)?.[0]
    .replace(/(?:openshift|images|kubernetes)$/, "mirrors")
    .replace(/domain\/precache-.*/, "domain/precache");

/**
 * Runs the tests of the mutated file first and random cases last, since a run ends at the first failure. Leaves out tests
 * of other domains.
 */
class LikeliestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const related = this.ctx.config.related ?? [];
    const mutated = related.map((file) => file.replace(/ts$/, ""));
    const domains = new Set(related.map(domainOf));
    const rank = ({ moduleId }: TestSpecification): number => {
      if (mutated.some((file) => moduleId.startsWith(file))) return 0;
      if (moduleId.endsWith("/decide.test.ts")) return 0;
      return moduleId.endsWith(".properties.test.ts") ? 2 : 1;
    };
    return files
      .filter(({ moduleId }) => domains.has(domainOf(moduleId)))
      .toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

/**
 * Includes only the tests in the mutated folders, so that only tests of its own domain kill a mutant.
 */
export default defineConfig({
  // A mutant that survives hundreds of random cases rarely dies by thousands, but each mutant would wait for them.
  plugins: [numberOfCases(100)],
  test: {
    name: "mutation",
    include: [
      "shared/domain/{mirrors,images,kubernetes/json,openshift/machine-config,hosted-clusters,windows,precache-*,ready}/**/*.test.ts",
      "functions/**/*.test.ts",
    ],
    setupFiles: ["test/support/setup/random-cases.ts", "tools/mutation/setup.ts"],
    sequence: { sequencer: LikeliestFirst },
    isolate: false,
    testTimeout: 30_000,
  },
});
