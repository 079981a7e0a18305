import { relative } from "node:path";
import type { TaskMeta, TestContext } from "vitest";
import type { TestCase, TestModule } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    /** The reason why a skipped test cannot run on this machine. */
    whySkipped?: string;
  }
}

/** Returns the test option with the reason for `skipIf`; without a reason it is empty. */
export function because(reason: string | undefined): { meta?: Partial<TaskMeta> } {
  return reason ? { meta: { whySkipped: reason } } : {};
}

/** Skips the running test, for a reason that shows only while it runs. Reports have the reason as well. */
export function skipBecause({ task, skip }: Pick<TestContext, "task" | "skip">, reason: string): never {
  task.meta.whySkipped = reason;
  return skip(reason);
}

function reasonOf(test: TestCase): string {
  return test.meta().whySkipped ?? "no reason given";
}

/** Lists at the end of a run every skipped test and the reason: a mere count is easily overlooked. */
export const skippedTests = {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests("skipped")]);
    // When tests are chosen by name, all others count as skipped.
    const unexpected = tests.filter(({ project }) => !project.config.testNamePattern);
    if (unexpected.length === 0) return;
    const lines = unexpected.map(
      (test) => `   ${relative(".", test.module.moduleId)} > ${test.fullName}: ${reasonOf(test)}`,
    );
    console.log(["", " Skipped", ...lines].join("\n"));
  },
};
