import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { performanceTables, recordedResults } from "../../bench/record.ts";
import { paths } from "../paths.ts";
import { withGeneratedPart } from "./generated-part.ts";

test("When results are recorded, the page about performance should be regenerated with npm run docs", async () => {
  const page = await readFile(paths.performancePage, "utf8");
  expect(page).toBe(withGeneratedPart(page, performanceTables(recordedResults())));
});
