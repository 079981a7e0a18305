import { createHash } from "node:crypto";
import { redactFields } from "../credentials/redact.ts";

/**
 * What a function did or refused, for subscribers: a CloudEvent 1.0 in structured JSON. The id is derived from
 * the content of the decision, never generated, so that a repeated delivery is recognisable.
 */
export type OutcomeEvent = Readonly<{
  specversion: "1.0";
  type: `dev.hubrelay.${string}`;
  source: string;
  subject: string;
  id: string;
  datacontenttype: "application/json";
  /** Which hub event led to it: the id under which the logs tell the rest. No part of what makes its own id. */
  correlationid?: string;
  data: Readonly<Record<string, unknown>>;
}>;

/**
 * Builds an outcome event. `from` names the state that the outcome leaves or that was written (a resourceVersion, a
 * time of transition): going from A to B, back to A and to B again is three outcomes with three ids, while a retry of
 * one step repeats its id. `identity` is what else makes the id: all data, unless figures in it change while the state
 * stays. What looks like a credential is taken out of `data`: it quotes what people write into fields, and
 * subscribers are many.
 */
export function outcomeEvent({
  from,
  data,
  identity,
  ...named
}: Pick<OutcomeEvent, "type" | "source" | "subject" | "data"> &
  Readonly<{ from: string; identity?: Readonly<Record<string, unknown>> }>): OutcomeEvent {
  const event = { ...named, data: redactFields(data) };
  const id = outcomeId({ ...event, from, data: identity ?? event.data });
  return { specversion: "1.0", ...event, id, datacontenttype: "application/json" };
}

/** Returns the id that an outcome with this data has when it is about this state. */
export function outcomeId({
  type,
  source,
  subject,
  from,
  data,
}: Pick<OutcomeEvent, "type" | "source" | "subject" | "data"> & Readonly<{ from: string }>): string {
  const content = JSON.stringify([type, source, subject, from, data]);
  return createHash("sha256").update(content).digest("hex").slice(0, 32);
}
