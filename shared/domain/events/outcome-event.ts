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
  data: Readonly<Record<string, unknown>>;
}>;
