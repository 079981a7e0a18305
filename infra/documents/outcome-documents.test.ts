import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { outcomeTypes } from "#shared/domain/events/outcome-event.ts";
import { paths } from "../paths.ts";
import { registrySchemaFile, schemaFile } from "./outcome-documents.ts";

test("When an outcome's schema changes, the JSON Schema should be regenerated with npm run docs", async () => {
  expect(await readFile(paths.outcomeSchema, "utf8")).toBe(schemaFile());
});

test("When an outcome's schema changes, that of the event bus should be regenerated with npm run docs", async () => {
  const file = await readFile(paths.registrySchema, "utf8");
  expect(file).toBe(registrySchemaFile());
  // The registry's limit.
  expect(file.length).toBeLessThan(100_000);
});

test("When the page has links, every linked type and shape should exist", async () => {
  const page = await readFile(paths.outcomePage, "utf8");
  const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading = ""]) => heading.toLowerCase());
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, target = ""]) => target);
  expect(links.length).toBeGreaterThan(outcomeTypes.length);
  expect(links.filter((target) => !headings.includes(target))).toEqual([]);
  for (const { type } of outcomeTypes) expect(page).toContain(`| \`${type.split(".").at(-1)}\` |`);
});
