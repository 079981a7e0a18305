import { isRecord, parseJson, type UnknownRecord } from "../../domain/json/values.ts";
import { type Environment, EnvironmentError, required } from "../settings/environment.ts";

const example = '{"mirror-configs": "https://sqs.eu-central-1.amazonaws.com/123456789012/mirror-configs"}';

function parsed(text: string): UnknownRecord {
  const value = parseJson(text);
  if (isRecord(value)) return value;
  throw new EnvironmentError(`HUBRELAY_QUEUE_URLS is not a JSON object; it should be like ${example}.`);
}

export type QueueUrls = Readonly<{
  /** In the order of the variable. */
  names: readonly string[];
  /** Returns the URL of a queue; throws `EnvironmentError` for an unknown name. */
  of(name: string): string;
}>;

/**
 * Reads HUBRELAY_QUEUE_URLS: a JSON object of name to URL. The names are hubrelay's own; the server's names are in the
 * URLs.
 */
export function queueUrls(environment: Environment): QueueUrls {
  const urls = parsed(required(environment, "HUBRELAY_QUEUE_URLS", example));
  return {
    names: Object.keys(urls),
    of(name) {
      const url = Object.hasOwn(urls, name) ? urls[name] : undefined;
      if (typeof url === "string" && /^https?:$/.test(URL.parse(url)?.protocol ?? "")) return url;
      const what = url === undefined ? `has no queue ${name}` : `has no URL for queue ${name}`;
      throw new EnvironmentError(`HUBRELAY_QUEUE_URLS ${what}; it should be like ${example}.`);
    },
  };
}
