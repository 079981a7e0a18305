import type { UnknownRecord } from "../../domain/kubernetes/json/values.ts";
import type { Environment } from "./environment.ts";
import { isHttpUrl, namedSettings, unknownField } from "./named-settings.ts";
import { isFilter } from "./outcome-subscribers.ts";

/** How CloudEvents travel over HTTP: the event as one JSON document, or its attributes as headers. */
export const contentModes = ["structured", "binary"] as const;
export type ContentMode = (typeof contentModes)[number];

/** A server that takes CloudEvents over HTTP. */
export type OutcomeSink = Readonly<{
  name: string;
  url: string;
  mode: ContentMode;
  /** The types that it gets, as those of a subscriber. */
  types?: readonly string[];
  /** A file with a bearer token, read for every publication: a new token needs no restart. */
  tokenFile?: string;
  /** A file with certificates to trust besides the system's. */
  caFile?: string;
}>;

const about = {
  variable: "HUBRELAY_OUTCOME_SINKS",
  example: '{"tickets": {"url": "https://tickets.example.com/events"}}',
};
const fields = ["url", "mode", "types", "tokenFile", "caFile"];

const isFile = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Returns a sink, or what is wrong with its settings, as the rest of a sentence about them. */
function readSink(name: string, given: UnknownRecord): OutcomeSink | string {
  const { url, mode = "structured", types, tokenFile, caFile } = given;
  const known = contentModes.find((one) => one === mode);
  const unknown = unknownField(given, fields);
  if (unknown !== undefined) return unknown;
  if (!isHttpUrl(url)) return "has no url";
  if (!known) return `has a mode that is not ${contentModes.join(" or ")}`;
  if (types !== undefined && !isFilter(types)) return "has types that are not a list of event types";
  if (tokenFile !== undefined && !isFile(tokenFile)) return "has a tokenFile that is not the name of a file";
  if (caFile !== undefined && !isFile(caFile)) return "has a caFile that is not the name of a file";
  if (tokenFile && URL.parse(url)?.protocol === "http:")
    return "has a token for a url without TLS; use https";
  return {
    name,
    url,
    mode: known,
    ...(types ? { types } : {}),
    ...(tokenFile ? { tokenFile } : {}),
    ...(caFile ? { caFile } : {}),
  };
}

/**
 * Reads HUBRELAY_OUTCOME_SINKS, a JSON object of each sink's name to where it is. Undefined when it is not set. Throws
 * `EnvironmentError`.
 */
export function outcomeSinks(environment: Environment): readonly OutcomeSink[] | undefined {
  return namedSettings(environment, about, readSink);
}
