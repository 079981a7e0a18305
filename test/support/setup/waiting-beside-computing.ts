import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { paths } from "../../../infra/paths.ts";

/** Tests of queues, terminals and processes: they wait for most of their time. */
const waits = /^(?:test\/(?:system|contract)|infra\/precache-workload)\//;
/** The part of the run over which they are spread, so that none is still waiting when the others have ended. */
const share = 0.7;

/**
 * Puts files that wait between those that compute, so that neither all workers wait nor all compute at a time. Within
 * each, the longest of the last run is first; without one, the largest.
 */
export class WaitingBesideComputing extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const longestFirst = await super.sort(files);
    const { waiting = [], computing = [] } = Object.groupBy(longestFirst, ({ moduleId }) =>
      waits.test(relative(paths.root, moduleId)) ? "waiting" : "computing",
    );
    return [
      ...waiting.map((file, index) => ({ file, at: (share * index) / waiting.length })),
      ...computing.map((file, index) => ({ file, at: index / computing.length })),
    ]
      .toSorted((a, b) => a.at - b.at)
      .map(({ file }) => file);
  }
}
