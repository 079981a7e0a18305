import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { paths } from "../paths.ts";
import { registrySchemaFile } from "./outcome-documents.ts";
import { generatedPages } from "./pages.ts";

test.for(generatedPages)(
  "When $when, its page should be regenerated with npm run docs",
  async ({ path, renewed }) => {
    const page = await readFile(path, "utf8");
    expect(page).toBe(await renewed(page));
  },
);

test("When an outcome's schema changes, that of the event bus should be regenerated with npm run docs", async () => {
  const file = await readFile(paths.registrySchema, "utf8");
  expect(file).toBe(registrySchemaFile());
  // The registry's limit.
  expect(file.length).toBeLessThan(100_000);
});
