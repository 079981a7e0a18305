import * as z from "zod";

const template = z.object({
  Parameters: z.record(
    z.string(),
    z.object({ Default: z.coerce.string(), AllowedValues: z.array(z.string()).optional() }),
  ),
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
});

/** How many characters AWS permits for the names that have the fewest. */
const nameLengths: Readonly<Record<string, Readonly<{ property: string; most: number }>>> = {
  "AWS::Lambda::Function": { property: "FunctionName", most: 64 },
  "AWS::SQS::Queue": { property: "QueueName", most: 80 },
  "AWS::EventSchemas::Registry": { property: "RegistryName", most: 64 },
};

/**
 * Returns why AWS would refuse a template for the values of options, if it would: otherwise a deployment fails after
 * minutes, and is rolled back.
 */
export function templateProblem(text: unknown): string | undefined {
  const { Parameters, Resources } = template.parse(text);
  for (const [id, { Default, AllowedValues = [Default] }] of Object.entries(Parameters))
    if (!AllowedValues.includes(Default)) {
      const name = `${id.charAt(0).toLowerCase()}${id.slice(1)}`;
      return `--param ${name}=${Default}: it must be one of ${AllowedValues.join(", ")}.`;
    }
  const [longest] = Object.values(Resources)
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
