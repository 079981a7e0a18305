import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { paths } from "../../infra/paths.ts";

const resource = z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) });
const template = z.object({ Resources: z.record(z.string(), resource) });

/** One resource of the CloudFormation that `npm run package` made, by its logical id. */
export type Resource = Readonly<{ id: string; properties: Readonly<Record<string, unknown>> }>;

export const templatePath = join(paths.cloudformation, "cloudformation-template-update-stack.json");

/** Reads the template and answers its resources by type. */
export async function packagedResources(): Promise<(type: string) => readonly Resource[]> {
  const { Resources } = template.parse(JSON.parse(await readFile(templatePath, "utf8")));
  const all = Object.entries(Resources);
  return (type) =>
    all
      .filter(([, { Type }]) => Type === type)
      .map(([id, { Properties: properties }]) => ({ id, properties }));
}

/** The value at a path of a resource's properties, undefined when there is none. */
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

/** `{Ref: X}` → `X`, `{Fn::GetAtt: [X, Arn]}` → `X.Arn`, `{Fn::Sub: text}` → its text: what a test compares. */
export function named(value: unknown): string {
  return intrinsic.parse(value);
}

const oneOrMany = <Item extends z.ZodType>(item: Item) =>
  z.union([z.array(item), item.transform((one) => [one])]);
const policies = z.array(
  z.object({
    PolicyDocument: z.object({
      Statement: z.array(
        z.object({
          Effect: z.literal("Allow"),
          Action: oneOrMany(z.string()),
          Resource: oneOrMany(intrinsic),
        }),
      ),
    }),
  }),
);

/** What a role may do, as sorted lines `action on resource`. */
export function permissionsOf(role: Resource): readonly string[] {
  return policies
    .parse(role.properties.Policies)
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .flatMap(({ Action, Resource }) => Action.flatMap((action) => Resource.map((on) => `${action} on ${on}`)))
    .sort();
}
