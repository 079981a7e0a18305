import { expect, test } from "vitest";
import { workCheck } from "./work-check.ts";

const object = (properties: object) => ({ type: "object", properties });
const list = (properties: object) => ({ type: "array", items: object(properties) });
const text = (...values: readonly string[]) => ({ type: "string", enum: values });

/** The kind as OCM publishes it, as far as pre-caching goes. */
function aSchema({ strategy = ["Update", "CreateOnly", "ServerSideApply"], paths = true, news = true } = {}) {
  const feedback = {
    type: text("WellKnownStatus", ...(paths ? ["JSONPaths"] : [])),
    ...(paths ? { jsonPaths: list({}) } : {}),
  };
  const configs = {
    feedbackRules: list(feedback),
    updateStrategy: object({ type: text(...strategy) }),
    ...(news ? { conditionRules: list({}) } : {}),
  };
  const deletion = news ? { ttlSecondsAfterFinished: { type: "integer" } } : {};
  return object({ spec: object({ manifestConfigs: list(configs), deleteOption: object(deletion) }) });
}

const cases = [
  { title: "has all", schema: aSchema(), state: "ok", says: "all that pre-caching writes" },
  {
    title: "feeds nothing back by JSONPath",
    schema: aSchema({ paths: false }),
    state: "problem",
    says: "lacks spec.manifestConfigs.feedbackRules.jsonPaths, spec.manifestConfigs.feedbackRules.type JSONPaths",
  },
  {
    title: "applies no fields",
    schema: aSchema({ strategy: ["Update", "CreateOnly"] }),
    state: "problem",
    says: "lacks spec.manifestConfigs.updateStrategy.type ServerSideApply",
  },
  {
    title: "is older than OCM's API 1.0.0",
    schema: aSchema({ news: false }),
    state: "note",
    says: "lacks spec.manifestConfigs.conditionRules, spec.deleteOption.ttlSecondsAfterFinished",
  },
  { title: "is not published", schema: undefined, state: "note", says: "does not publish" },
];

test.for(cases)(
  "When the schema of ManifestWork $title, it should be told as $state",
  ({ schema, state, says }) => {
    const { remedy, ...check } = workCheck(schema);
    expect(check).toEqual({ name: "ManifestWork", state, found: expect.stringContaining(says) });
    expect(remedy === undefined).toBe(state === "ok");
  },
);
