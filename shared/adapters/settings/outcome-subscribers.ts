import { isStringList, type UnknownRecord } from "../../domain/kubernetes/json/values.ts";
import type { Environment } from "./environment.ts";
import { isHttpUrl, namedSettings, unknownField } from "./named-settings.ts";
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

const about = {
  variable: "HUBRELAY_OUTCOME_SUBSCRIBERS",
  example: '{"tickets": {"url": "http://elasticmq:9324/000000000000/tickets"}}',
};
const defaults = { maxMessages: 10_000, retentionSeconds: 4 * 24 * 60 * 60 };
const fields = ["url", "types", "maxMessages", "retentionSeconds"];

const isLimit = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** Reports whether these are the types of a filter: a list with at least one. */
export const isFilter = (types: unknown): types is readonly string[] =>
  isStringList(types) && types.length > 0;

/** Returns a subscriber, or what is wrong with its settings, as the rest of a sentence about them. */
function readSubscriber(name: string, given: UnknownRecord): OutcomeSubscriber | string {
  const { url, types, maxMessages, retentionSeconds }: UnknownRecord = { ...defaults, ...given };
  const unknown = unknownField(given, fields);
  if (unknown !== undefined) return unknown;
  if (!isHttpUrl(url)) return "has no url";
  if (types !== undefined && !isFilter(types)) return "has types that are not a list of event types";
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
  const { HUBRELAY_OUTCOME_QUEUE_URL: url } = environment;
  const single = url ? [{ name: queueNameOf(url), url, ...defaults }] : undefined;
  const named = namedSettings(environment, about, readSubscriber);
  return named ? [...(single ?? []), ...named] : single;
}
