import * as z from "zod";
import { type OutcomeEvent, outcomeTypes } from "#shared/domain/events/outcome-event.ts";
import { outcomeJsonSchema } from "#shared/domain/outcomes/outcome-schemas.ts";

const { $defs = {} } = outcomeJsonSchema("strict");
/** By type, made from the JSON Schema itself, so that errors name the field. */
const schemas = new Map<string, z.ZodType>(
  outcomeTypes.map(({ type }) => [type, z.fromJSONSchema({ $ref: `#/$defs/${type}`, $defs })]),
);

/** Returns the schema errors of events, as subscribers get them, with unknown fields forbidden; empty for none. */
export function schemaProblems(events: readonly OutcomeEvent[]): readonly string[] {
  return events.flatMap((event) => {
    const schema = schemas.get(event.type);
    if (!schema) return [`${event.type} is no documented type`];
    const { success, error } = schema.safeParse(JSON.parse(JSON.stringify(event)));
    return success ? [] : [`${event.type} about ${event.subject}: ${z.prettifyError(error)}`];
  });
}
