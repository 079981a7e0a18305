import { busSource } from "#shared/adapters/eventbridge/event-bus.ts";
import { type OutcomeEvent, outcomeTypes } from "#shared/domain/plan/outcome-event.ts";
import { table, withGeneratedPart } from "./generated-part.ts";
import { outcomeJsonSchema } from "./outcome-schemas.ts";
import { asSchema, code, type Schema } from "./schema-table.ts";

function exampleOf(type: string, events: readonly OutcomeEvent[]): OutcomeEvent {
  const event = events.find((one) => one.type === type);
  if (!event) throw new Error(`no function has sent ${type}, which therefore has no example`);
  return event;
}

/** Returns the text of the JSON Schema file. Of the events, the first of each type is its example. */
export function schemaFile(events: readonly OutcomeEvent[]): string {
  const { $defs = {}, ...schema }: Schema = outcomeJsonSchema("open");
  const types = outcomeTypes.map(({ type }): [string, Schema] => [
    type,
    { ...asSchema($defs[type]), examples: [exampleOf(type, events)] },
  ]);
  const withExamples = { ...schema, $defs: { ...$defs, ...Object.fromEntries(types) } };
  return `${JSON.stringify(withExamples, null, 2)}\n`;
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

/** Returns the page about outcomes with its table of types replaced. */
export function withTypes(page: string): string {
  const rows = outcomeTypes.map(({ type, when }) => [code(type), when]);
  return withGeneratedPart(page, table(["type", "when"], rows));
}
