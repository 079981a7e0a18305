import * as z from "zod";
import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { startingSettings } from "#shared/adapters/settings/planning-settings.ts";
import { stdoutLog } from "#shared/adapters/telemetry/json-log.ts";

const template = z.object({
  Resources: z.record(z.string(), z.object({ Properties: z.record(z.string(), z.unknown()).default({}) })),
});
const deployedFunction = z.object({
  FunctionName: z.string(),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
});

/** Returns why a function could not start with its settings, which CloudFormation does not check; else undefined. */
export function templateProblem(text: unknown): string | undefined {
  for (const { Properties } of Object.values(template.parse(text).Resources)) {
    const { data } = deployedFunction.safeParse(Properties);
    if (!data) continue;
    const { FunctionName, Environment } = data;
    const texts = Object.entries(Environment.Variables).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    );
    const environment: Record<string, string> = Object.fromEntries(texts);
    try {
      stdoutLog(environment);
      startingSettings(environment);
    } catch (error) {
      if (error instanceof EnvironmentError) return `${FunctionName} could not start: ${error.message}`;
      throw error;
    }
  }
  return undefined;
}
