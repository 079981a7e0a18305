import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { paths } from "../../infra/paths.ts";

const resource = z.object({
  Type: z.string(),
  Condition: z.string().optional(),
  Properties: z.record(z.string(), z.unknown()).default({}),
});
const template = z.object({
  Conditions: z.record(z.string(), z.unknown()),
  Resources: z.record(z.string(), resource),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })),
});
const choice = z.object({ "Fn::If": z.tuple([z.string(), z.unknown(), z.unknown()]) });
const noValue = z.strictObject({ Ref: z.literal("AWS::NoValue") });

/** A resource of the CloudFormation template of `npm run package`, by its logical id. */
export type Resource = Readonly<{ id: string; properties: Readonly<Record<string, unknown>> }>;

export const templatePath = join(paths.cloudformation, "cloudformation-template-update-stack.json");

/** A value as deployed where exactly these conditions hold. */
function decided(value: unknown, holding: readonly string[]): unknown {
  const chosen = choice.safeParse(value);
  if (chosen.success) {
    const [condition, whenTrue, whenFalse] = chosen.data["Fn::If"];
    return decided(holding.includes(condition) ? whenTrue : whenFalse, holding);
  }
  if (noValue.safeParse(value).success) return undefined;
  if (Array.isArray(value))
    return value.map((item) => decided(item, holding)).filter((item) => item !== undefined);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, decided(inner, holding)] as const);
  return Object.fromEntries(fields.filter(([, inner]) => inner !== undefined));
}

/** The outputs of a deployed stack: the values by name. */
export async function packagedOutputs(): Promise<Readonly<Record<string, unknown>>> {
  const { Outputs } = template.parse(JSON.parse(await readFile(templatePath, "utf8")));
  return Object.fromEntries(Object.entries(Outputs).map(([name, { Value }]) => [name, Value]));
}

/** Reads the template and returns its resources by type, where exactly these conditions hold. */
export async function packagedResources(
  holding: readonly string[],
): Promise<(type: string) => readonly Resource[]> {
  const { Conditions, Resources } = template.parse(JSON.parse(await readFile(templatePath, "utf8")));
  const unknown = holding.find((condition) => !(condition in Conditions));
  if (unknown) throw new Error(`the template has no condition ${unknown}`);
  const made = Object.entries(Resources).filter(
    ([, { Condition }]) => Condition === undefined || holding.includes(Condition),
  );
  return (type) =>
    made
      .filter(([, { Type }]) => Type === type)
      .map(([id, { Properties }]) => ({
        id,
        properties: z.record(z.string(), z.unknown()).parse(decided(Properties, holding)),
      }));
}

/** Returns the value at a path of a resource's properties, undefined when there is none. */
export function at({ properties }: Resource, ...path: readonly (string | number)[]): unknown {
  let value: unknown = properties;
  for (const key of path) value = new Map(Object.entries(value ?? {})).get(String(key));
  return value;
}

const intrinsic = z.union([
  z.object({ Ref: z.string() }).transform(({ Ref }) => Ref),
  z
    .object({ "Fn::GetAtt": z.tuple([z.string(), z.string()]) })
    .transform((value) => value["Fn::GetAtt"].join(".")),
  z.object({ "Fn::Sub": z.string() }).transform((value) => value["Fn::Sub"]),
  z.string(),
]);

/** Simplifies for comparison: `{Ref: X}` → `X`, `{Fn::GetAtt: [X, Arn]}` → `X.Arn`, `{Fn::Sub: text}` → its text. */
export function named(value: unknown): string {
  return intrinsic.parse(value);
}

const oneOrMany = <Item extends z.ZodType>(item: Item) =>
  z.union([z.array(item), item.transform((one) => [one])]);
const document = z.object({
  Statement: z.array(
    z.object({
      Effect: z.enum(["Allow", "Deny"]),
      Action: oneOrMany(z.string()),
      Resource: oneOrMany(intrinsic),
    }),
  ),
});
const policies = z.array(z.object({ PolicyDocument: document }));

/** Returns what a policy allows, as sorted lines `action on resource`. */
export function allowedBy(policy: unknown): readonly string[] {
  return document
    .parse(policy)
    .Statement.filter(({ Effect }) => Effect === "Allow")
    .flatMap(({ Action, Resource }) => Action.flatMap((action) => Resource.map((on) => `${action} on ${on}`)))
    .sort();
}

/** Returns what a role may do by its own policies, as sorted lines `action on resource`. */
export function permissionsOf(role: Resource): readonly string[] {
  return policies
    .parse(role.properties.Policies ?? [])
    .flatMap(({ PolicyDocument }) => allowedBy(PolicyDocument))
    .sort();
}
