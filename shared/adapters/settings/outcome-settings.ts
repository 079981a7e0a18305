import { isStringList, type UnknownRecord } from "../../domain/kubernetes/json/values.ts";
import type { Environment } from "./environment.ts";
import { isHttpUrl, namedSettings } from "./named-settings.ts";

/** Reports whether a value is a filter: a list with at least one type. */
const isFilter = (types: unknown): types is readonly string[] => isStringList(types) && types.length > 0;

/** A server that takes CloudEvents over HTTP. */
export type OutcomeSink = Readonly<{
  name: string;
  url: string;
  /** The event types that the sink gets; `dev.hubrelay.precache.*` includes all with that prefix. By default all types. */
  types?: readonly string[];
  /** A file with a bearer token, read for every publication: a new token needs no restart. */
  tokenFile?: string;
  /** A file with certificates to trust besides the system's. */
  caFile?: string;
}>;

const ofSinks = {
  variable: "HUBRELAY_OUTCOME_SINKS",
  example: '{"tickets": {"url": "https://tickets.example.com/events"}}',
  fields: ["url", "types", "tokenFile", "caFile"],
};

const isFile = (value: unknown): value is string => typeof value === "string" && value !== "";

function readSink(name: string, given: UnknownRecord): OutcomeSink | string {
  const { url, types, tokenFile, caFile } = given;
  if (!isHttpUrl(url)) return "has no url";
  if (types !== undefined && !isFilter(types)) return "has types that are not a list of event types";
  if (tokenFile !== undefined && !isFile(tokenFile)) return "has a tokenFile that is not the name of a file";
  if (caFile !== undefined && !isFile(caFile)) return "has a caFile that is not the name of a file";
  if (tokenFile && URL.parse(url)?.protocol === "http:")
    return "has a token for a url without TLS; use https";
  return {
    name,
    url,
    ...(types ? { types } : {}),
    ...(tokenFile ? { tokenFile } : {}),
    ...(caFile ? { caFile } : {}),
  };
}

/**
 * Reads HUBRELAY_OUTCOME_SINKS, a JSON object of each sink's name to its settings. Undefined when it is not set. Throws
 * `EnvironmentError`.
 */
export function outcomeSinks(environment: Environment): readonly OutcomeSink[] | undefined {
  return namedSettings(environment, ofSinks, readSink);
}

/** The targets of outcome events besides the log; events go to each target that is set. */
type OutcomeSettings = Readonly<{
  topicArn?: string;
  sinks?: readonly OutcomeSink[];
}>;

/** Reads the targets of outcome events: HUBRELAY_OUTCOME_TOPIC_ARN, an SNS topic, and HUBRELAY_OUTCOME_SINKS. */
export function outcomeSettings(environment: Environment): OutcomeSettings {
  const { HUBRELAY_OUTCOME_TOPIC_ARN: topicArn } = environment;
  const sinks = outcomeSinks(environment);
  return {
    ...(topicArn ? { topicArn } : {}),
    ...(sinks ? { sinks } : {}),
  };
}
