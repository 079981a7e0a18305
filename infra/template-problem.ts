import * as z from "zod";
import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { planningSettings, requirePinnedImage } from "#shared/adapters/settings/planning-settings.ts";
import { stdoutLog } from "#shared/adapters/telemetry/json-log.ts";

const template = z.object({
  Parameters: z.record(
    z.string(),
    z.object({
      Default: z.coerce.string(),
      AllowedValues: z.array(z.string()).optional(),
      AllowedPattern: z.string().default(".*"),
      ConstraintDescription: z.string().default(""),
    }),
  ),
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
});
type Template = z.infer<typeof template>;
const deployedFunction = z.object({
  FunctionName: z.string(),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
});

/** How many characters AWS permits for the names that have the fewest. */
const nameLengths: Readonly<Record<string, Readonly<{ property: string; most: number }>>> = {
  "AWS::Lambda::Function": { property: "FunctionName", most: 64 },
  "AWS::SQS::Queue": { property: "QueueName", most: 80 },
  "AWS::EventSchemas::Registry": { property: "RegistryName", most: 64 },
};

/**
 * Returns why AWS would refuse a template for the values of options, or why its functions could not start, if so:
 * otherwise a deployment fails after minutes and is rolled back, or succeeds and the functions fail.
 */
export function templateProblem(text: unknown): string | undefined {
  const { Parameters, Resources } = template.parse(text);
  return parameterProblem(Parameters) ?? nameProblem(Resources) ?? settingsProblem(Resources);
}

function parameterProblem(parameters: Template["Parameters"]): string | undefined {
  for (const [id, parameter] of Object.entries(parameters)) {
    const { Default, AllowedValues = [Default], AllowedPattern, ConstraintDescription } = parameter;
    const given = `The parameter ${id} is "${Default}", which is not`;
    if (!AllowedValues.includes(Default)) return `${given} one of ${AllowedValues.join(", ")}.`;
    if (!new RegExp(`^(?:${AllowedPattern})$`).test(Default)) return `${given} ${ConstraintDescription}.`;
  }
  return undefined;
}

function nameProblem(resources: Template["Resources"]): string | undefined {
  const [longest] = Object.values(resources)
    .flatMap(({ Type, Properties }) => {
      const { property = "", most = 0 } = nameLengths[Type] ?? {};
      const name = Properties[property];
      return typeof name === "string" && name.length > most ? [{ name, property, most }] : [];
    })
    .sort((one, other) => other.name.length - other.most - (one.name.length - one.most));
  if (!longest) return undefined;
  const { name, property, most } = longest;
  return `${name} has ${name.length} characters; AWS permits ${most} for ${property}. Fix: shorten --stage or --hub by ${name.length - most}.`;
}

/** Reads the settings of functions as they do when they start. */
function settingsProblem(resources: Template["Resources"]): string | undefined {
  for (const { Properties } of Object.values(resources)) {
    const { data } = deployedFunction.safeParse(Properties);
    if (!data) continue;
    const { FunctionName, Environment } = data;
    const texts = Object.entries(Environment.Variables).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    );
    const environment: Record<string, string> = Object.fromEntries(texts);
    try {
      stdoutLog(environment);
      requirePinnedImage(planningSettings(environment));
    } catch (error) {
      if (error instanceof EnvironmentError) return `${FunctionName} could not start: ${error.message}`;
      throw error;
    }
  }
  return undefined;
}
