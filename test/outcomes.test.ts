import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import * as z from "zod";
import { outcomeTypes } from "#shared/domain/plan/outcome-event.ts";
import shipped from "../docs/reference/events.schema.json" with { type: "json" };
import { schemaFile } from "../infra/documents/outcome-documents.ts";
import { paths } from "../infra/paths.ts";
import { everyOutcome } from "./support/messages/every-outcome.ts";
import { schemaProblems } from "./support/messages/outcome-schema.ts";

const published = await everyOutcome();

test.for(outcomeTypes)("When $type is sent, it should match its schema exactly", ({ type }) => {
  const some = published.filter((event) => event.type === type);
  expect(some.length).toBeGreaterThan(0);
  expect(schemaProblems(some)).toEqual([]);
});

test("When a change is reported, every form of it should have been among those that are checked", () => {
  const changes = published.flatMap(({ data }) => Object(data.cost).changes ?? []);
  const forms = changes.map((change) =>
    "scope" in change ? "scope" : Array.isArray(change.after) ? "search list" : "file",
  );
  expect(new Set(forms)).toEqual(new Set(["file", "scope", "search list"]));
});

const anOutcome = published.find(({ data }) => "pool" in data);

test("When an event does not match its schema, the error should name the field", () => {
  if (!anOutcome) throw new Error("no function has sent anything");
  const { data, ...others } = anOutcome;
  const { pool: _pool, ...rest } = data;
  const changed = [
    { ...others, data: rest },
    { ...others, data: { ...data, pool: 1 } },
    { ...others, data: { ...data, more: true } },
  ];
  for (const event of changed) expect(schemaProblems([event])).toHaveLength(1);
});

test("When a subscriber checks events by the shipped JSON Schema, it should accept them, and those of later versions", () => {
  const { type, $defs } = shipped as z.core.JSONSchema.JSONSchema;
  expect(type).toBeUndefined();
  for (const event of published) {
    const schema = z.fromJSONSchema({ $ref: `#/$defs/${event.type}`, $defs: $defs ?? {} });
    const later = { ...event, data: { ...event.data, more: true }, more: true };
    for (const one of [event, later])
      expect(schema.safeParse(JSON.parse(JSON.stringify(one))).success, event.type).toBe(true);
    const { id: _id, ...incomplete } = event;
    expect(schema.safeParse(incomplete).success, event.type).toBe(false);
  }
});

test("When a subscriber looks up an event's dataschema in the shipped JSON Schema, it should describe the event's data", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(shipped);
  for (const { type, dataschema = "", data } of published) {
    const schema = ajv.getSchema(dataschema);
    expect(schema?.(data), type).toBe(true);
    expect(schema?.({}), type).toBe(false);
  }
});

test("When an event is published, it should have the time at which that happened", () => {
  for (const { type, time } of published) expect(time, type).toMatch(/^2026-\d\d-\d\dT.*Z$/);
});

test("When an outcome or its schema changes, the JSON Schema should be regenerated with npm run docs", async () => {
  expect(await readFile(paths.outcomeSchema, "utf8")).toBe(schemaFile(published));
});
