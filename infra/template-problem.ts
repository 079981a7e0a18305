import * as z from "zod";
import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { startingSettings } from "#shared/adapters/settings/planning-settings.ts";
import { stdoutLog } from "#shared/adapters/telemetry/json-log.ts";

const template = z.object({
  Parameters: z.record(z.string(), z.object({ Default: z.coerce.string() })),
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
const nameLengths: Readonly<Record<string, Readonly<{ property: string; max: number }>>> = {
  "AWS::Lambda::Function": { property: "FunctionName", max: 64 },
  "AWS::SQS::Queue": { property: "QueueName", max: 80 },
};

/** What AWS requires of parameters that are no parameters of the template, where a property has their value. */
const propertyRules = [
  {
    types: ["AWS::IAM::Role", "AWS::IAM::ManagedPolicy"],
    property: "Path",
    pattern: /^\/(?:.+\/)?$/,
    parameter: "rolePath",
    problem: "does not begin and end with a slash. Fix: use a path such as /hubrelay/.",
  },
];

/**
 * Returns why AWS would refuse or ignore values of options in a template, or why its functions could not start, if so:
 * otherwise a deployment fails after minutes and is rolled back, or succeeds and something is missing or fails. What a
 * template's parameters allow is checked by CloudFormation before it changes anything.
 */
export function templateProblem(text: unknown): string | undefined {
  const { Parameters, Resources } = template.parse(text);
  return (
    vpcProblem(Parameters) ??
    nameProblem(Resources) ??
    propertyProblem(Resources) ??
    settingsProblem(Resources)
  );
}

const given = (parameters: Template["Parameters"], id: string) => parameters[id]?.Default ?? "";

function vpcProblem(parameters: Template["Parameters"]): string | undefined {
  const subnets = given(parameters, "Subnets");
  const groups = given(parameters, "SecurityGroups");
  if (Boolean(subnets) === Boolean(groups)) return undefined;
  const [name, missing] = subnets ? ["subnetIds", "securityGroupIds"] : ["securityGroupIds", "subnetIds"];
  return `${name}: "${subnets || groups}" needs ${missing}. Fix: give both, or neither.`;
}

function nameProblem(resources: Template["Resources"]): string | undefined {
  const [worst] = Object.values(resources)
    .flatMap(({ Type, Properties }) => {
      const { property = "", max = 0 } = nameLengths[Type] ?? {};
      const name = Properties[property];
      return typeof name === "string" && name.length > max ? [{ name, property, max }] : [];
    })
    .sort((one, other) => other.name.length - other.max - (one.name.length - one.max));
  if (!worst) return undefined;
  const { name, property, max } = worst;
  return `${name} has ${name.length} characters; AWS permits ${max} for ${property}. Fix: shorten --stage or --hub by ${name.length - max}.`;
}

function propertyProblem(resources: Template["Resources"]): string | undefined {
  for (const { Type, Properties } of Object.values(resources))
    for (const { types, property, pattern, parameter, problem } of propertyRules)
      if (types.includes(Type) && property in Properties && !pattern.test(String(Properties[property])))
        return `${parameter}: "${Properties[property]}" ${problem}`;
  return undefined;
}

/** Reads the settings of functions as they do when they start; the hub's id is a tag too. */
function settingsProblem(resources: Template["Resources"]): string | undefined {
  for (const { Properties } of Object.values(resources)) {
    const { data } = deployedFunction.safeParse(Properties);
    if (!data) continue;
    const { FunctionName, Environment } = data;
    const texts = Object.entries(Environment.Variables).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    );
    const environment: Record<string, string> = Object.fromEntries(texts);
    const { HUBRELAY_HUB_ID: hubId = "-" } = environment;
    if (!/^[\p{L}\p{Z}\p{N}_.:/=+@-]+$/u.test(hubId))
      return `hubId: "${hubId}" has characters that tags may not have. Fix: use letters, digits, spaces and _ . : / = + - @.`;
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
