import type { OutcomeEvent } from "../../domain/events/outcome-event.ts";
import type { ContentMode } from "../settings/outcome-sinks.ts";

export type EventRequest = Readonly<{
  method: "POST";
  headers: Readonly<Record<string, string>>;
  body: string;
}>;

/** What a header's value may not have as it is: all but printable ASCII, and the characters of quoting. */
const notPlain = /[^\x20-\x7e]|["%]/gu;

/** Percent-encodes as the HTTP binding of CloudEvents requires: every byte of the character in UTF-8. */
const headerValue = (text: string): string =>
  text.replace(notPlain, (character) =>
    Buffer.from(character)
      .toString("hex")
      .toUpperCase()
      .replace(/../g, (byte) => `%${byte}`),
  );

/** Returns the request of one event, by the HTTP binding of CloudEvents 1.0.2 (sections 3.1 and 3.2). */
export function eventRequest(event: OutcomeEvent, mode: ContentMode): EventRequest {
  if (mode === "structured")
    return {
      method: "POST",
      headers: { "content-type": "application/cloudevents+json; charset=utf-8" },
      body: JSON.stringify(event),
    };
  const { data, datacontenttype, ...attributes } = event;
  const headers = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, headerValue(value)]);
  return {
    method: "POST",
    headers: { "content-type": datacontenttype, ...Object.fromEntries(headers) },
    body: JSON.stringify(data),
  };
}
