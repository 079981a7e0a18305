import { hash } from "node:crypto";
import { redactTexts } from "../credentials/redact.ts";
import type { OutcomeType } from "./outcome-types.ts";

/**
 * What a function did or refused, for subscribers: a CloudEvent 1.0 in structured JSON. The id is derived from the
 * content of the decision, so that a repeated delivery is recognizable.
 */
export type OutcomeEvent = Readonly<{
  specversion: "1.0";
  type: OutcomeType;
  source: string;
  subject: string;
  id: string;
  /** When it happened, in RFC 3339; an outcome that is published again keeps it. */
  time?: string;
  datacontenttype: "application/json";
  /** The schema of `data`. This and `time` are absent in an outcome that hubrelay 0.1.0 has kept. */
  dataschema?: string;
  /** The id of the hub event that led to it, for a search in the logs. Not part of the event's own id. */
  correlationid?: string;
  data: Readonly<Record<string, unknown>>;
}>;

/**
 * Builds an outcome event. `from` identifies the state that the outcome leaves or that was written (a
 * resourceVersion, a transition time): a change from A to B, back to A and to B again is three outcomes with three
 * ids, while a retry of one step repeats its id. `identity` is the rest of the id: all data by default, less when
 * figures in it change while the state stays. `at` is when that state was reached, so that making the outcome again
 * gives the same `time`. Possible credentials are redacted in `data`, because it quotes user input and has many readers.
 */
export function outcomeEvent({
  from,
  at,
  data,
  identity,
  ...named
}: Pick<OutcomeEvent, "type" | "source" | "subject" | "data"> &
  Readonly<{
    from: string;
    at: Date | string;
    identity?: Readonly<Record<string, unknown>>;
  }>): OutcomeEvent {
  const event = { ...named, data: redactTexts(data) };
  const id = outcomeId({ ...event, from, data: identity ?? event.data });
  const time = typeof at === "string" ? at : at.toISOString();
  const dataschema = dataSchemaOf(event.type);
  return { specversion: "1.0", ...event, id, time, datacontenttype: "application/json", dataschema };
}

/**
 * The `$id` of docs/reference/events.schema.json. A change that a subscriber of an earlier version would not understand
 * gives it another number.
 */
export const eventsSchemaId = "urn:hubrelay:events:1";

/** Returns the URI of the schema of a type's `data`, a part of docs/reference/events.schema.json. */
export function dataSchemaOf(type: OutcomeType): string {
  return `${eventsSchemaId}#/$defs/${type}/properties/data`;
}

/** Returns the id of an outcome with this data about this state. */
export function outcomeId({
  type,
  source,
  subject,
  from,
  data,
}: Pick<OutcomeEvent, "type" | "source" | "subject" | "data"> & Readonly<{ from: string }>): string {
  const content = JSON.stringify([type, source, subject, from, data]);
  return hash("sha256", content).slice(0, 32);
}
