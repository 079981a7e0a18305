import { busSource } from "#shared/adapters/eventbridge/event-bus.ts";
import { type OutcomeEvent, outcomeTypes } from "#shared/domain/events/outcome-event.ts";
import { outcomeJsonSchema } from "#shared/domain/outcomes/outcome-schemas.ts";
import { table, withGeneratedPart } from "./generated-part.ts";
import { asSchema, code, fieldTable, kindOf, partsOf, type Schema } from "./schema-table.ts";

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
  return ["## Types", ...types, "## What `data` contains", ...shapes].join("\n\n");
}

/** Returns the text of the JSON Schema file. */
export function schemaFile(): string {
  return `${JSON.stringify(outcomeJsonSchema("open"), null, 2)}\n`;
}

/**
 * Returns the CloudFormation of the schema in EventBridge's registry: an event as a target gets it, with the outcome in
 * `detail`.
 */
export function registrySchemaFile(): string {
  const { definitions } = outcomeJsonSchema("open", "draft-4");
  const text = { type: "string" };
  const content = {
    $schema: "http://json-schema.org/draft-04/schema#",
    title: "Outcome events of hubrelay on an event bus",
    type: "object",
    required: ["id", "source", "detail-type", "account", "time", "region", "resources", "detail"],
    properties: {
      id: text,
      source: { enum: [busSource] },
      "detail-type": { enum: outcomeTypes.map(({ type }) => type) },
      account: text,
      time: { type: "string", format: "date-time" },
      region: text,
      resources: { type: "array", items: text },
      detail: { oneOf: outcomeTypes.map(({ type }) => ({ $ref: `#/definitions/${type}` })) },
    },
    definitions,
  };
  return `# The schema of outcome events for the registry in infra/aws/outcome-bus.yml. Made by \`npm run docs\`.
Resources:
  OutcomeSchema:
    Type: AWS::EventSchemas::Schema
    Condition: OutcomesOnBus
    Properties:
      RegistryName: !GetAtt OutcomeSchemas.RegistryName
      SchemaName: ${busSource}@Outcome
      Description: All outcome events; detail-type has the type
      Type: JSONSchemaDraft4
      Content: ${JSON.stringify(JSON.stringify(content))}
`;
}

/** Returns the page with its generated part replaced. Of the events, the first of each type is its example. */
export function withTables(page: string, events: readonly OutcomeEvent[]): string {
  return withGeneratedPart(page, tables(outcomeJsonSchema("open"), events));
}
