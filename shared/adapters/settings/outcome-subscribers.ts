import { isRecord, isStringList, parseJson, type UnknownRecord } from "../../domain/json/values.ts";
import { type Environment, EnvironmentError } from "./environment.ts";
import { queueNameOf } from "./queue-urls.ts";

/** A queue of outcome events that one subscriber reads, and nobody else. */
export type OutcomeSubscriber = Readonly<{
  name: string;
  url: string;
  /** The types that it gets, `dev.hubrelay.precache.*` being all with that beginning; without this, all. */
  types?: readonly string[];
  /** The most messages that wait in its queue; older ones are removed. */
  maxMessages: number;
  /** How long a message waits before it is removed. */
  retentionSeconds: number;
}>;

const variable = "HUBRELAY_OUTCOME_SUBSCRIBERS";
const example = '{"tickets": {"url": "http://elasticmq:9324/000000000000/tickets"}}';
const defaults = { maxMessages: 10_000, retentionSeconds: 4 * 24 * 60 * 60 };
const fields = ["url", "types", "maxMessages", "retentionSeconds"];

const isLimit = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** Returns a subscriber, or what is wrong with its settings, as the rest of a sentence about them. */
function readSubscriber(name: string, given: unknown): OutcomeSubscriber | string {
  if (!isRecord(given)) return "is not a JSON object";
  const { url, types, maxMessages, retentionSeconds }: UnknownRecord = { ...defaults, ...given };
  const unknown = Object.keys(given).find((name) => !fields.includes(name));
  if (unknown !== undefined) return `has the unknown field ${unknown}; there are ${fields.join(", ")}`;
  if (typeof url !== "string" || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return "has no url";
  if (types !== undefined && !(isStringList(types) && types.length > 0))
    return "has types that are not a list of event types";
  if (!isLimit(maxMessages)) return "has a maxMessages that is not a number from 1";
  if (!isLimit(retentionSeconds)) return "has a retentionSeconds that is not a number from 1";
  return { name, url, ...(types ? { types } : {}), maxMessages, retentionSeconds };
}

/**
 * Reads HUBRELAY_OUTCOME_SUBSCRIBERS, a JSON object of each subscriber's name to its queue, and
 * HUBRELAY_OUTCOME_QUEUE_URL, the queue of a single subscriber. Returns undefined when neither is set; an empty object
 * means that nobody subscribes. Throws `EnvironmentError`.
 */
export function outcomeSubscribers(environment: Environment): readonly OutcomeSubscriber[] | undefined {
  const { HUBRELAY_OUTCOME_QUEUE_URL: url, [variable]: text } = environment;
  const single = url ? [{ name: queueNameOf(url), url, ...defaults }] : undefined;
  if (!text) return single;
  const subscribers = parseJson(text);
  if (!isRecord(subscribers))
    throw new EnvironmentError(`${variable} is not a JSON object; it should be like ${example}.`);
  const named = Object.entries(subscribers).map(([name, given]) => {
    const subscriber = readSubscriber(name, given);
    if (typeof subscriber !== "string") return subscriber;
    throw new EnvironmentError(`${variable}: ${name} ${subscriber}; it should be like ${example}.`);
  });
  return [...(single ?? []), ...named];
}
