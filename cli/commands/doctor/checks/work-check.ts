import { isRecord } from "#shared/domain/json/values.ts";
import { type Check, note, ok, problem } from "./check.ts";
import { fieldOf, minimumVersions } from "./version-checks.ts";

const title = "ManifestWork";
const update = `Update Open Cluster Management on the hub: its API of version ${minimumVersions.ocm} and later has all of it.`;

/** Required by a run: status feedback, and the way to apply a Job that may be suspended later. */
const needed = [
  ["manifestConfigs.feedbackRules.jsonPaths", undefined],
  ["manifestConfigs.feedbackRules.type", "JSONPaths"],
  ["manifestConfigs.updateStrategy.type", "ServerSideApply"],
  ["manifestConfigs.updateStrategy.type", "CreateOnly"],
] as const;
/** Recommended: finished Jobs are not applied again, finished ManifestWorks are deleted. */
const recommended = [
  ["manifestConfigs.conditionRules", undefined],
  ["deleteOption.ttlSecondsAfterFinished", undefined],
] as const;

function knows(spec: unknown, [path, value]: readonly [string, string | undefined]): boolean {
  const field = fieldOf(spec, path);
  if (!isRecord(field)) return false;
  return value === undefined || !Array.isArray(field.enum) || field.enum.includes(value);
}

const textOf = ([path, value]: readonly [string, string | undefined]) =>
  `spec.${path}${value === undefined ? "" : ` ${value}`}`;

/**
 * Checks by its OpenAPI schema that the hub's ManifestWork has the fields that pre-caching writes: an API server drops
 * unknown fields silently.
 */
export function workCheck(schema: unknown): Check {
  const spec = fieldOf(schema, "spec");
  if (!isRecord(spec))
    return note(
      title,
      "The hub does not publish the schema of ManifestWork.",
      "Nothing to do; it was not checked.",
    );
  const missing = needed.filter((one) => !knows(spec, one));
  if (missing.length > 0)
    return problem(
      title,
      `Its definition lacks ${missing.map(textOf).join(", ")}: the progress of pre-caching could not be read.`,
      update,
    );
  const lacking = recommended.filter((one) => !knows(spec, one));
  return lacking.length > 0
    ? note(
        title,
        `Its definition lacks ${lacking.map(textOf).join(", ")}, which pre-caching can do without.`,
        update,
      )
    : ok(title, "Its definition has all that pre-caching writes.");
}
