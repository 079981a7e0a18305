import type { TestProject } from "vitest/node";
import { paths } from "../../infra/paths.ts";
import { succeeded } from "../../infra/run-program.ts";
import { type LambdaRuntime, lambdaRuntime } from "./lambda-runtime.ts";

declare module "vitest" {
  interface ProvidedContext {
    lambdaRuntime: LambdaRuntime;
  }
}

/** Runs once before all tests of the packaged functions: packages them as people do, and chooses a runtime for them. */
export async function setup(project: TestProject): Promise<void> {
  project.provide("lambdaRuntime", await lambdaRuntime());
  const { stdout } = await succeeded(process.execPath, ["infra/stack-command.ts", "package"], {
    cwd: paths.root,
  });
  process.stdout.write(stdout);
}
