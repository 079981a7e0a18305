import { type Environment, EnvironmentError, required } from "../settings/environment.ts";

const example = '{"mirror-configs": "https://sqs.eu-central-1.amazonaws.com/123456789012/mirror-configs"}';

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // What JSON.parse says quotes the text; what belongs there is said below.
  }
  throw new EnvironmentError(`HUBRELAY_QUEUE_URLS is no JSON object; it should be like ${example}.`);
}

export type QueueUrls = Readonly<{
  /** In the order of the variable. */
  names: readonly string[];
  /** Throws `EnvironmentError` when there is no URL for this name. */
  of(name: string): string;
}>;

/**
 * The queues of HUBRELAY_QUEUE_URLS: a JSON object of name to URL. The names are hubrelay's own; what the queues
 * are called on the server is in the URLs.
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
