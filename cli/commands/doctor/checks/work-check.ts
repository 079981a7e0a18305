import { isRecord } from "#shared/domain/json/values.ts";
import { type Check, note, ok, problem } from "./check.ts";

const title = "ManifestWork";
const update = "Update Open Cluster Management on the hub: its API of version 1.0.0 and later has all of it.";

/** What a run cannot do without: what the agent reads back, and how it applies a Job that may be suspended later. */
const needed = [
  ["manifestConfigs.feedbackRules.jsonPaths", undefined],
  ["manifestConfigs.feedbackRules.type", "JSONPaths"],
  ["manifestConfigs.updateStrategy.type", "ServerSideApply"],
  ["manifestConfigs.updateStrategy.type", "CreateOnly"],
] as const;
/** What it is better with: finished Jobs are not applied again, finished works go by themselves. */
const better = [
  ["manifestConfigs.conditionRules", undefined],
  ["deleteOption.ttlSecondsAfterFinished", undefined],
] as const;

/** The schema of a field below `spec`, through the items of lists. */
function fieldOf(schema: unknown, path: string): unknown {
  return path.split(".").reduce((at: unknown, name) => {
    const { items } = isRecord(at) ? at : {};
    const { properties } = isRecord(items) ? items : isRecord(at) ? at : {};
    return isRecord(properties) ? properties[name] : undefined;
  }, schema);
}

function knows(spec: unknown, [path, value]: readonly [string, string | undefined]): boolean {
  const field = fieldOf(spec, path);
  if (!isRecord(field)) return false;
  return value === undefined || !Array.isArray(field.enum) || field.enum.includes(value);
}

const textOf = ([path, value]: readonly [string, string | undefined]) =>
  `spec.${path}${value === undefined ? "" : ` ${value}`}`;

/**
 * Whether the hub's ManifestWork has the fields that pre-caching writes, by its OpenAPI schema: an API server drops
 * what it does not know without a word.
 */
export function workCheck(schema: unknown): Check {
  const spec = fieldOf(schema, "spec");
  if (!isRecord(spec))
    return note(
      title,
      "The hub does not publish the schema of ManifestWork.",
      "Nothing to do; it was not looked at.",
    );
  const missing = needed.filter((one) => !knows(spec, one));
  if (missing.length > 0)
    return problem(
      title,
      `Its definition lacks ${missing.map(textOf).join(", ")}: pre-caching could not be followed.`,
      update,
    );
  const wished = better.filter((one) => !knows(spec, one));
  return wished.length > 0
    ? note(title, `Its definition lacks ${wished.map(textOf).join(", ")}: pre-caching does without.`, update)
    : ok(title, "Its definition has all that pre-caching writes.");
}
