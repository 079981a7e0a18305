import * as z from "zod";
import {
  dataSchemaOf,
  eventsSchemaId,
  type OutcomeEvent,
  type OutcomeType,
  outcomeTypes,
} from "#shared/domain/plan/outcome-event.ts";
import { asSchema, code, type Schema, table, withGeneratedPart } from "./generated-part.ts";
import {
  clusterData,
  finishedData,
  hostedData,
  issuesData,
  lostData,
  planData,
  poolData,
  readinessData,
} from "./outcome-shapes.ts";

function exampleOf(type: string, events: readonly OutcomeEvent[]): OutcomeEvent {
  const event = events.find((one) => one.type === type);
  if (!event) throw new Error(`no function has sent ${type}, which therefore has no example`);
  return event;
}

/** Returns the JSON Schema of outcome events as text. The first event of each type becomes the type's example. */
export function schemaFile(events: readonly OutcomeEvent[]): string {
  const { $defs = {}, ...schema }: Schema = outcomeJsonSchema("open");
  const types = outcomeTypes.map(({ type }): [string, Schema] => [
    type,
    { ...asSchema($defs[type]), examples: [exampleOf(type, events)] },
  ]);
  const withExamples = { ...schema, $defs: { ...$defs, ...Object.fromEntries(types) } };
  return `${JSON.stringify(withExamples, null, 2)}\n`;
}

/** Returns the page about outcome events with a new table of their types. */
export function withTypes(page: string): string {
  const rows = outcomeTypes.map(({ type, when }) => [code(type), when]);
  return withGeneratedPart(page, table(["type", "when"], rows));
}

/** Functions do not import these schemas, so that bundles stay small. */
const dataOf: Readonly<Record<OutcomeType, z.ZodType>> = {
  "dev.hubrelay.mirror-config.rendered": poolData,
  "dev.hubrelay.mirror-config.held": poolData,
  "dev.hubrelay.mirror-config.expected": poolData,
  "dev.hubrelay.mirror-config.drift": poolData,
  "dev.hubrelay.mirror-config.refused": issuesData,
  "dev.hubrelay.hosted-clusters.changing": hostedData.changing,
  "dev.hubrelay.hosted-clusters.drift": hostedData.drift,
  "dev.hubrelay.hosted-clusters.refused": hostedData.refused,
  "dev.hubrelay.precache-plan.planned": planData,
  "dev.hubrelay.precache.cluster-failed": clusterData,
  "dev.hubrelay.precache.images-missing": lostData,
  "dev.hubrelay.precache.images-not-ready": readinessData,
  "dev.hubrelay.precache.finished": finishedData,
};

const eventOf = ({ type, when }: (typeof outcomeTypes)[number]) =>
  z
    .object({
      specversion: z.literal("1.0"),
      type: z.literal(type),
      source: z.string().describe("the hub"),
      subject: z.string().describe("what the outcome is about"),
      id: z.string().describe("the same each time the same outcome is sent"),
      time: z.iso
        .datetime()
        .optional()
        .describe("when it happened; the same each time the same outcome is sent"),
      datacontenttype: z.literal("application/json"),
      dataschema: z
        .literal(dataSchemaOf(type))
        .optional()
        .describe("the part of this schema that describes `data`"),
      correlationid: z
        .string()
        .optional()
        .describe("the id of the change that caused it, for a search in the logs"),
      data: dataOf[type],
    })
    .describe(when)
    .meta({ id: type });

/**
 * Returns the JSON Schema (2020-12) of all outcome events. The open schema is for subscribers and accepts fields that
 * later versions add. The strict schema rejects unknown fields.
 */
export function outcomeJsonSchema(fields: "open" | "strict"): z.core.JSONSchema.JSONSchema {
  const [first, ...others] = outcomeTypes;
  const all = z
    .discriminatedUnion("type", [eventOf(first), ...others.map(eventOf)])
    .meta({ $id: eventsSchemaId, title: "Outcome events of hubrelay" });
  return z.toJSONSchema(all, {
    io: fields === "open" ? "input" : "output",
    override: ({ jsonSchema }) => {
      // Zod adds the limits of JavaScript's integers, which are not part of the contract.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // The format `date-time` makes the pattern that zod adds unnecessary.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
    },
  });
}
