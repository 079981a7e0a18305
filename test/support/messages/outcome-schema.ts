import * as z from "zod";
import { type OutcomeEvent, outcomeTypes } from "#shared/domain/plan/outcome-event.ts";
import { outcomeJsonSchema } from "../../../infra/documents/outcome-documents.ts";

const { $defs = {} } = outcomeJsonSchema("strict");
const schemas = new Map<string, z.ZodType>();

/** Returns the schema of a type, made from the JSON Schema itself, so that errors name the field. */
function schemaOf(type: string): z.ZodType | undefined {
  if (!outcomeTypes.some((known) => known.type === type)) return undefined;
  const schema = schemas.get(type) ?? z.fromJSONSchema({ $ref: `#/$defs/${type}`, $defs });
  schemas.set(type, schema);
  return schema;
}

/** Returns the schema errors of events, as subscribers get them, with unknown fields forbidden; empty for none. */
export function schemaProblems(events: readonly OutcomeEvent[]): readonly string[] {
  return events.flatMap((event) => {
    const schema = schemaOf(event.type);
    if (!schema) return [`${event.type} is no documented type`];
    const { success, error } = schema.safeParse(JSON.parse(JSON.stringify(event)));
    return success ? [] : [`${event.type} about ${event.subject}: ${z.prettifyError(error)}`];
  });
}
