import { isRecord, isStringList, ownValue, parseJson } from "../../domain/kubernetes/json/values.ts";
import { type Environment, EnvironmentError, isHttpUrl } from "./environment.ts";

const isFilter = (types: unknown): types is readonly string[] => isStringList(types) && types.length > 0;

/** A server that receives CloudEvents over HTTP. */
export type OutcomeSink = Readonly<{
  name: string;
  url: string;
  /** The event types that the server gets, by default all. `dev.hubrelay.precache.*` means all with that prefix. */
  types?: readonly string[];
  /** A file with a bearer token. It is read for every publication, so a new token needs no restart. */
  tokenFile?: string;
  /** A file with certificates to trust in addition to the system's. */
  caFile?: string;
}>;

const variable = "HUBRELAY_OUTCOME_SINKS";
const example = '{"tickets": {"url": "https://tickets.example.com/events"}}';
const fields: readonly string[] = ["url", "types", "tokenFile", "caFile"];

const isFile = (value: unknown): value is string => typeof value === "string" && value !== "";

function readSink(name: string, given: unknown): OutcomeSink | string {
  if (!isRecord(given)) return "is not a JSON object";
  const unknown = Object.keys(given).find((field) => !fields.includes(field));
  if (unknown !== undefined) return `has the unknown field ${unknown}; there are ${fields.join(", ")}`;
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

/** Reads HUBRELAY_OUTCOME_SINKS, a JSON object with each sink's settings by name. Throws `EnvironmentError`. */
export function outcomeSinks(environment: Environment): readonly OutcomeSink[] {
  const text = ownValue(environment, variable);
  const named = text ? parseJson(text) : {};
  const refusal = (what: string) => new EnvironmentError(`${variable}${what}; it should be like ${example}.`);
  if (!isRecord(named)) throw refusal(" is not a JSON object");
  return Object.entries(named).map(([name, given]) => {
    const sink = readSink(name, given);
    if (typeof sink === "string") throw refusal(`: ${name} ${sink}`);
    return sink;
  });
}
