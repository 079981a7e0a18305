import { isRecord, ownValue, parseJson, type UnknownRecord } from "../../domain/kubernetes/json/values.ts";
import { type Environment, EnvironmentError, isHttpUrl, required } from "./environment.ts";

const example = '{"mirror-configs": "https://sqs.eu-central-1.amazonaws.com/123456789012/mirror-configs"}';

function parsed(text: string): UnknownRecord {
  const value = parseJson(text);
  if (isRecord(value)) return value;
  throw new EnvironmentError(`HUBRELAY_QUEUE_URLS is not a JSON object; it should be like ${example}.`);
}

/** Returns a queue's name, which is the last part of its URL. */
export function queueNameOf(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

export type QueueUrls = Readonly<{
  names: readonly string[];
  /** Returns the URL of a queue. Throws `EnvironmentError` for an unknown name. */
  of(name: string): string;
  /** Throws an `EnvironmentError` if a queue has no URL. The message names such queues. */
  require(names: readonly string[]): void;
}>;

/** Reads HUBRELAY_QUEUE_URLS: a JSON object with each queue's URL, by hubrelay's own name for the queue. */
export function queueUrls(environment: Environment): QueueUrls {
  const urls = parsed(required(environment, "HUBRELAY_QUEUE_URLS", example));
  const urlOf = (name: string): string | undefined => {
    const url = ownValue(urls, name);
    return isHttpUrl(url) ? url : undefined;
  };
  const refusal = (names: readonly string[]): EnvironmentError => {
    const isMissing = names.some((name) => !Object.hasOwn(urls, name));
    const what = `${isMissing ? "queue" : "URL for queue"}${names.length > 1 ? "s" : ""}`;
    return new EnvironmentError(
      `HUBRELAY_QUEUE_URLS has no ${what} ${names.join(", ")}; it should be like ${example}.`,
    );
  };
  return {
    names: Object.keys(urls),
    of(name) {
      const url = urlOf(name);
      if (url === undefined) throw refusal([name]);
      return url;
    },
    require(names) {
      const unusable = names.filter((name) => urlOf(name) === undefined);
      const missing = unusable.filter((name) => !Object.hasOwn(urls, name));
      if (unusable.length > 0) throw refusal(missing.length > 0 ? missing : unusable);
    },
  };
}
