import { expect, test } from "vitest";
import { workCheck } from "./work-check.ts";

const object = (properties: object) => ({ type: "object", properties });
const list = (properties: object) => ({ type: "array", items: object(properties) });
const text = (...values: readonly string[]) => ({ type: "string", enum: values });

/** What pre-caching uses of the schema that OCM publishes. */
function aSchema({
  strategy = ["Update", "CreateOnly", "ServerSideApply"],
  paths = true,
  isNew = true,
} = {}) {
  const feedback = {
    type: text("WellKnownStatus", ...(paths ? ["JSONPaths"] : [])),
    ...(paths ? { jsonPaths: list({}) } : {}),
  };
  const configs = {
    feedbackRules: list(feedback),
    updateStrategy: object({ type: text(...strategy) }),
    ...(isNew ? { conditionRules: list({}) } : {}),
  };
  const deletion = isNew ? { ttlSecondsAfterFinished: { type: "integer" } } : {};
  return object({ spec: object({ manifestConfigs: list(configs), deleteOption: object(deletion) }) });
}

const cases = [
  { title: "has all", schema: aSchema(), state: "ok", says: "all that pre-caching writes" },
  {
    title: "has no feedback by JSONPath",
    schema: aSchema({ paths: false }),
    state: "problem",
    says: "lacks spec.manifestConfigs.feedbackRules.jsonPaths, spec.manifestConfigs.feedbackRules.type JSONPaths",
  },
  {
    title: "has no server-side apply",
    schema: aSchema({ strategy: ["Update", "CreateOnly"] }),
    state: "problem",
    says: "lacks spec.manifestConfigs.updateStrategy.type ServerSideApply",
  },
  {
    title: "is older than OCM's API 1.0.0",
    schema: aSchema({ isNew: false }),
    state: "note",
    says: "lacks spec.manifestConfigs.conditionRules, spec.deleteOption.ttlSecondsAfterFinished",
  },
  { title: "is not published", schema: undefined, state: "note", says: "does not publish" },
];

test.for(cases)(
  "When the schema of ManifestWork $title, it should report $state",
  ({ schema, state, says }) => {
    const { remedy, ...check } = workCheck(schema);
    expect(check).toEqual({ name: "ManifestWork", state, found: expect.stringContaining(says) });
    expect(remedy === undefined).toBe(state === "ok");
  },
);
