import type * as z from "zod";
import type { OutcomeEvent } from "#shared/domain/events/outcome-event.ts";
import { outcomeTypes } from "#shared/domain/events/outcome-types.ts";
import { outcomeJsonSchema } from "#shared/domain/outcomes/outcome-schemas.ts";
import { table, withGeneratedPart } from "./generated-part.ts";

type Schema = z.core.JSONSchema.BaseSchema;

const shapeOf = ({ $ref }: Schema): string | undefined => $ref?.replace("#/$defs/", "");
const asSchema = (schema: z.core.JSONSchema._JSONSchema | undefined): Schema =>
  typeof schema === "object" ? schema : {};
const itemsOf = ({ items }: Schema): Schema => (Array.isArray(items) ? {} : asSchema(items));
const partsOf = ({ anyOf = [] }: Schema): readonly Schema[] => anyOf.map(asSchema);

const code = (value: unknown) => `\`${String(value)}\``;
const link = (shape: string) => `[${shape}](#${shape.toLowerCase()})`;

function kindOf(schema: Schema): string {
  const shape = shapeOf(schema);
  if (shape) return link(shape);
  if (schema.enum) return schema.enum.map(code).join(", ");
  if (schema.const !== undefined) return code(schema.const);
  if (schema.anyOf) return partsOf(schema).map(kindOf).join(" or ");
  if (schema.format === "date-time") return "RFC 3339";
  if (schema.type === "array") return `list of ${kindOf(itemsOf(schema))}`;
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  return schema.type ?? "any value";
}

type Row = Readonly<{ field: string; kind: string; text: string }>;

function rowsOf(schema: Schema, path = ""): readonly Row[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]): readonly Row[] => {
    const value = asSchema(field);
    const at = `${path}${name}`;
    const kind = `${kindOf(value)}${required.includes(name) ? "" : ", may be absent"}`;
    const row = { field: at, kind, text: value.description ?? "" };
    const objects = [value, ...partsOf(value)].flatMap((part) => [
      ...rowsOf(part, `${at}.`),
      ...rowsOf(itemsOf(part), `${at}[].`),
    ]);
    return [row, ...objects];
  });
}

const fieldTable = (schema: Schema) =>
  table(
    ["field", "value", "meaning"],
    rowsOf(schema).map(({ field, kind, text }) => [code(field), kind, text]),
  );

function shapeSection(name: string, schema: Schema): string {
  if (!schema.anyOf) return `### ${name}\n\n${fieldTable(schema)}`;
  const variants = partsOf(schema).map((part) => `${part.description ?? ""}:\n\n${fieldTable(part)}`);
  return [`### ${name}`, "One of these:", ...variants].join("\n\n");
}

function example(type: string, events: readonly OutcomeEvent[]): string {
  const event = events.find((one) => one.type === type);
  if (!event) throw new Error(`no function has sent ${type}, which therefore has no example`);
  const json = JSON.stringify(event, null, 2);
  return `<details><summary>An example of <code>${type.split(".").at(-1)}</code></summary>\n\n\`\`\`json\n${json}\n\`\`\`\n\n</details>`;
}

function tables({ $defs = {} }: Schema, events: readonly OutcomeEvent[]): string {
  const dataOf = (type: string) => asSchema(asSchema($defs[type]).properties?.data);
  const functionOf = (type: string) => type.split(".").slice(0, -1).join(".");
  const types = Object.entries(Object.groupBy(outcomeTypes, ({ type }) => functionOf(type))).map(
    ([prefix, some = []]) =>
      `### ${prefix}\n\n${table(
        ["type", "when", "`data`"],
        some.map(({ type, when }) => [code(type.slice(prefix.length + 1)), when, kindOf(dataOf(type))]),
      )}\n\n${some.map(({ type }) => example(type, events)).join("\n\n")}`,
  );
  const names = outcomeTypes.map(({ type }): string => type);
  const shapes = Object.entries($defs)
    .filter(([name]) => !names.includes(name))
    .map(([name, schema]) => shapeSection(name, asSchema(schema)));
  return ["## Types", ...types, "## What `data` holds", ...shapes].join("\n\n");
}

/** Returns the text of the JSON Schema file. */
export function schemaFile(): string {
  return `${JSON.stringify(outcomeJsonSchema("open"), null, 2)}\n`;
}

/** Returns the page with its generated part replaced. Of the events, the first of each type is its example. */
export function withTables(page: string, events: readonly OutcomeEvent[]): string {
  return withGeneratedPart(page, tables(outcomeJsonSchema("open"), events));
}
